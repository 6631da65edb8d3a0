/** Builds `dist/hermes`: one executable with bytecode, frozen plug-in lists, and no code or settings taken from the user's folder. */

import { mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { BunPlugin } from "bun";
import { version } from "../package.json";
import { type FrozenList, freezePlugins, scansAtRunTime } from "./plugin-freezing.ts";

const root = join(import.meta.dir, "..");

/** What one executable is made of. */
export interface BinaryPlan {
	/** Absolute path of the first module. */
	readonly entry: string;
	/** Absolute path of the executable. */
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
const bundlerPlugins: readonly BunPlugin[] = [];

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

async function main(): Promise<void> {
	const startedAt = performance.now();
	const outfile = join(root, "dist", "hermes");
	const lists = await buildBinary({ entry: join(root, "main.ts"), outfile, version: await describeVersion() });
	for (const { file, names } of lists) console.log(`${file}: ${names.join(", ")}`);
	const megabytes = Math.round(Bun.file(outfile).size / 1e6);
	const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
	console.log(`${relative(process.cwd(), outfile)}: ${megabytes} MB in ${seconds} s`);
}

if (import.meta.main) await main();
