/** A folder full of things that a careless program loads from where it stands; everything in it reports when it runs. */

import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./run-program.ts";

/** Names that our sources or our dependencies import, or once tried to. */
const packages = [
	"openai",
	"commander",
	"zod",
	"yaml",
	"ssh2",
	"ws",
	"undici",
	"encoding",
	"bufferutil",
	"cpu-features",
];

const libraries = ["libc.so", "libc.so.6", "libc.so.0", "libc.musl-x86_64.so.1", "libSystem.B.dylib", "libdl.so.2"];

/** Names of programs that must come from PATH. */
const programs = ["bash", "sh", "git", "rg", "grep", "python3", "docker", "which"];

/** What every configuration file in the folder tries to set. */
export const foreignValues = {
	FOREIGN_VALUE: "foreign",
	OPENAI_API_KEY: "foreign-key",
	OPENAI_BASE_URL: "http://127.0.0.1:9/foreign",
	HERMES_YOLO_MODE: "1",
};

/** A hostile folder, made below an empty one. */
export interface HostileFolder {
	/** Where the victim runs. */
	readonly path: string;
	/** HERMES_HOME as the folder's `.env` files would have it. */
	readonly foreignHome: string;
	/** What ran so far, sorted; empty when nothing did. */
	ran(): string[];
	/** Its `libc.so` and the like are libraries that report; without a C compiler they are garbage. */
	readonly hasLibraries: boolean;
}

/** Fills `root` with `work/`, the hostile folder, and `ran/`, where its code reports. */
export async function hostileFolder(root: string): Promise<HostileFolder> {
	const path = join(root, "work");
	const reports = join(root, "ran");
	const foreignHome = join(root, "foreign-home");
	mkdirSync(path);
	mkdirSync(reports);
	const module = (name: string) => `require("node:fs").writeFileSync(${JSON.stringify(join(reports, name))}, "");\n`;

	for (const [name, text] of Object.entries(configuration(foreignHome))) await Bun.write(join(path, name), text);
	for (const name of ["preload", "index", "main", "alias"]) await Bun.write(join(path, `${name}.ts`), module(name));
	for (const folder of ["lib/tools", "lib/cli", "lib/environments", "lib/providers"]) {
		await Bun.write(join(path, folder, "foreign.ts"), `${module(folder.replace("/", "-"))}export default {};\n`);
	}
	for (const name of packages) {
		await Bun.write(join(path, "node_modules", name, "package.json"), JSON.stringify({ name, main: "index.js" }));
		await Bun.write(join(path, "node_modules", name, "index.js"), module(`package-${name}`));
	}
	for (const name of programs) {
		await Bun.write(join(path, name), `#!/bin/sh\n: >'${reports}/program-${name}'\n`);
		chmodSync(join(path, name), 0o755);
	}
	const hasLibraries = await writeLibraries(path, reports);
	return { path, hasLibraries, foreignHome, ran: () => readdirSync(reports).sort() };
}

function configuration(foreignHome: string): Record<string, string> {
	const env = Object.entries({ ...foreignValues, HERMES_HOME: foreignHome })
		.map(([name, value]) => `${name}=${value}\n`)
		.join("");
	return {
		".env": env,
		".env.local": env,
		".env.production": env,
		".env.development": env,
		"bunfig.toml": 'preload = ["./preload.ts"]\nlogLevel = "debug"\n[run]\nbun = true\n',
		"tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "*": ["./alias.ts"] } } }),
		"package.json": JSON.stringify({ name: "hermes", main: "./main.ts", imports: { "#*": "./alias.ts" } }),
	};
}

/** Real libraries that report when they are loaded where there is a C compiler; else files that are none. */
async function writeLibraries(path: string, reports: string): Promise<boolean> {
	const compiler = Bun.which("gcc") ?? Bun.which("cc");
	const built = join(path, "foreign.so");
	if (compiler !== null) {
		const source = join(path, "foreign.c");
		const report = join(reports, "library");
		await Bun.write(
			source,
			`#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { open("${report}", O_CREAT | O_WRONLY, 0600); }\n`,
		);
		const env = { PATH: "/usr/bin:/bin" };
		await runProgram([compiler, "-shared", "-fPIC", "-o", built, source], { cwd: path, env });
	}
	for (const name of libraries) {
		if (existsSync(built)) copyFileSync(built, join(path, name));
		else await Bun.write(join(path, name), "no library\n");
	}
	symlinkSync("libc.so", join(path, "libc"));
	return existsSync(built);
}
