/** The bodies that the tests of the wires expect are ones that each service's own SDK would let a program send. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const root = join(import.meta.dir, "../..");
const fixtures = join(root, "test/fixtures/wires");
const {
	checked: _,
	about: __,
	...sources
}: Record<string, Source> = await Bun.file(join(fixtures, "sources.json")).json();
const bodies = ["short", "long", "foreign", "prompt", "image"];

interface Source {
	readonly package: string;
	readonly version: string;
	readonly imports: string;
	readonly allowed: Readonly<Record<string, string>>;
}

const compilerOptions = {
	...{ target: "ESNext", lib: ["ESNext"], module: "preserve", moduleResolution: "bundler", types: ["bun"] },
	...{ noEmit: true, strict: true, skipLibCheck: true },
};

/** What the compiler says about programs that send `bodies`, by name. */
async function complaints(programs: Readonly<Record<string, string>>): Promise<string> {
	using folder = temporaryFolder();
	symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"));
	writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
	for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder.path, `${name}.ts`), text);
	const compiler = [process.execPath, "--bun", join(root, "node_modules/.bin/tsc"), "--noEmit", "-p", folder.path];
	const { stdout, stderr } = await runProgram(compiler, { cwd: folder.path, env: { PATH: "/usr/bin:/bin" } });
	return stdout + stderr;
}

/** A body without the fields that are known to be another service's. */
function without(value: unknown, names: readonly string[]): unknown {
	if (Array.isArray(value)) return value.map((item) => without(item, names));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).flatMap(([key, item]) => (names.includes(key) ? [] : [[key, without(item, names)]])),
	);
}

async function programs(change: (body: string) => string = (body) => body): Promise<Record<string, string>> {
	const texts: Record<string, string> = {};
	for (const [wire, { imports, allowed }] of Object.entries(sources)) {
		const parts = await Promise.all(
			bodies.map(async (name) => {
				const body = await Bun.file(join(fixtures, wire, `body-${name}.json`)).json();
				return change(JSON.stringify(without(body, Object.keys(allowed))));
			}),
		);
		texts[wire] = `${imports}\nexport const bodies: Body[] = [\n${parts.join(",\n")}\n];\n`;
	}
	return texts;
}

test("every body is of the type that the SDK of its service names", async () => {
	expect(await complaints(await programs())).toBe("");
});

test("a body with a field that the SDK does not know, or a word that it does not, is found", async () => {
	const said = await complaints(
		await programs((body) =>
			body.replace(/"role":"user"/, '"role":"user","rol":1').replace(/"type":"object"/, '"type":7'),
		),
	);
	const found = Object.keys(sources).map((wire) =>
		new RegExp(`${wire}\\.ts\\([^\\n]+'"rol"' does not exist`).test(said),
	);
	expect(found).toEqual([true, true, true, true]);
	expect(said).toContain(`Type 'number' is not assignable to type '"object"'`);
});

test("the types are those of the SDKs that are installed", async () => {
	const { dependencies } = await Bun.file(join(root, "package.json")).json();
	expect(Object.values(sources).map(({ package: name, version }) => `${name}@${version}`)).toEqual(
		Object.values(sources).map(({ package: name }) => `${name}@${dependencies[name]}`),
	);
});
