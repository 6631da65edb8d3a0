/** Builds executables: with bytecode, frozen plug-in lists, and no code or settings taken from the user's folder. */

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";
import { version } from "../package.json";
import { buildTargets } from "./build-targets.ts";
import { checksumFile, writeChecksums } from "./checksums.ts";
import { stubModules } from "./module-stubs.ts";
import { type FrozenList, freezePlugins, scansAtRunTime } from "./plugin-freezing.ts";
import { type Target, targetNamed, targets } from "./targets.ts";

const root = join(import.meta.dir, "..");

/** What one executable is made of. */
export interface BinaryPlan {
	/** Absolute path of the first module. */
	readonly entry: string;
	/** Absolute path of the executable; for Windows it ends in `.exe`. */
	readonly outfile: string;
	/** What the identifier `HERMES_VERSION` stands for in the sources. */
	readonly version: string;
	/** A Bun compile target such as `bun-linux-arm64`; this machine when not given. */
	readonly target?: Bun.Build.CompileTarget;
}

/**
 * Arguments that the executable passes to its own run time: nothing is compiled from strings, so neither a `BUN_OPTIONS`
 * preload nor a module found in the current folder can be loaded, and no native add-on either.
 */
const strictArguments = ["--disallow-code-generation-from-strings=strict", "--no-addons"];

/** Bundler plug-ins besides the freezing of lists. A module that must not be bundled gets its stub here. */
const bundlerPlugins: readonly BunPlugin[] = [stubModules];

/**
 * Builds one executable and returns the plug-in lists it holds.
 * @throws {Error} When bundling fails, when a list is empty, or when a list is still scanned at run time.
 */
export async function buildBinary({ entry, outfile, version, target }: BinaryPlan): Promise<readonly FrozenList[]> {
	const lists: FrozenList[] = [];
	mkdirSync(dirname(outfile), { recursive: true });
	await Bun.build({
		entrypoints: [entry],
		plugins: [freezePlugins((list) => lists.push(list)), ...bundlerPlugins],
		target: "bun",
		format: "esm",
		splitting: true,
		bytecode: true,
		minify: true,
		define: { HERMES_VERSION: JSON.stringify(version) },
		compile: {
			outfile,
			...(target && { target }),
			autoloadDotenv: false,
			autoloadBunfig: false,
			autoloadTsconfig: false,
			autoloadPackageJson: false,
			execArgv: strictArguments,
		},
	});
	if (scansAtRunTime(await Bun.file(outfile).bytes())) {
		throw new Error(`Cannot use "${outfile}": a plug-in list in it was not replaced and would be empty`);
	}
	return lists;
}

/** `0.1.0 (abc1234)`; without the commit outside a git checkout. */
export async function describeVersion(): Promise<string> {
	const git = Bun.which("git");
	if (git === null) return version;
	const asked = Bun.spawn([git, "-C", root, "rev-parse", "--short=7", "HEAD"], { stdout: "pipe", stderr: "ignore" });
	const commit = (await new Response(asked.stdout).text()).trim();
	return (await asked.exited) === 0 ? `${version} (${commit})` : version;
}

/** Builds `hermes` for this machine, and beside it the link that starts it as `hermes-agent`. */
export async function buildForThisMachine(folder: string, version: string): Promise<readonly FrozenList[]> {
	const lists = await buildBinary({ entry: join(root, "main.ts"), outfile: join(folder, "hermes"), version });
	const link = join(folder, "hermes-agent");
	rmSync(link, { force: true });
	symlinkSync("hermes", link);
	return lists;
}

/** Builds the executable of another kind of machine. */
export function buildForTarget(target: Target, folder: string, version: string): Promise<readonly FrozenList[]> {
	const outfile = join(folder, target.file);
	return buildBinary({ entry: join(root, "main.ts"), outfile, version, target: target.compileTarget });
}

const usage = `bun run build [--all | --target NAME...]

Without a flag: dist/hermes for this machine, and the link dist/hermes-agent.
--all builds that and an executable for every target; --target builds only the named ones. Both write dist/${checksumFile}.
Targets: ${targets.map(({ name }) => name).join(", ")}`;

async function main(): Promise<number> {
	const { values } = parseArgs({
		options: {
			all: { type: "boolean", default: false },
			target: { type: "string", multiple: true, default: [] },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return 0;
	}
	const folder = join(root, "dist");
	const version = await describeVersion();
	const chosen = values.all ? targets : values.target.map(targetNamed);
	if (values.all || chosen.length === 0) {
		const startedAt = performance.now();
		const lists = await buildForThisMachine(folder, version);
		for (const { file, names } of lists) console.log(`${file}: ${names.join(", ")}`);
		report(join(folder, "hermes"), (performance.now() - startedAt) / 1000);
	}
	if (chosen.length === 0) return 0;
	await buildTargets({
		chosen,
		build: (target) => buildForTarget(target, folder, version),
		onBuilt: ({ file, isExperimental }, seconds) =>
			report(join(folder, file), seconds, isExperimental ? " (experimental)" : ""),
	});
	await writeChecksums(
		folder,
		targets.map(({ file }) => file),
	);
	return 0;
}

function report(path: string, seconds: number, note = ""): void {
	const megabytes = Math.round(Bun.file(path).size / 1e6);
	console.log(`${relative(process.cwd(), path)}: ${megabytes} MB in ${seconds.toFixed(1)} s${note}`);
}

if (import.meta.main) {
	process.exitCode = await main().catch((error: unknown) => {
		console.error(error instanceof AggregateError ? error.errors.map(String).join("\n") : String(error));
		return 1;
	});
}
