/** The executables that start-up is measured with: `dist/hermes` and the least that a compiled program can be. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBinary } from "../scripts/build-binary.ts";
import type { Pair } from "./bench.ts";

const dist = join(import.meta.dir, "../dist");

/** The executable of this project. @throws {Error} When it has not been built. */
export async function builtHermes(): Promise<string> {
	const hermes = join(dist, "hermes");
	if (!(await Bun.file(hermes).exists())) throw new Error(`Cannot measure "${hermes}": build it first (bun run build)`);
	return hermes;
}

/** Builds the program `source` in the same way, as `dist/bench-NAME`, and gives its path. */
export async function buildProgram(name: string, source: string): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
	const entry = join(folder, `${name}.ts`);
	const outfile = join(dist, `bench-${name}`);
	await Bun.write(entry, source);
	await buildBinary({ entry, outfile, version: "0" });
	rmSync(folder, { recursive: true, force: true });
	return outfile;
}

/** Compares `dist/hermes` run with `args` to a program, built the same way, that prints one word. */
export async function compareWithHello(args: readonly string[]): Promise<Pair> {
	const hermes = await builtHermes();
	const hello = await buildProgram("hello", 'console.log("hello");\n');
	const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
	const run = async (argv: string[]) => {
		const child = Bun.spawn(argv, { cwd: folder, env: { HOME: folder, PATH: "/usr/bin:/bin" }, stdout: "ignore" });
		const exitCode = await child.exited;
		if (exitCode !== 0) throw new Error(`Cannot measure "${argv.join(" ")}": it exited with ${exitCode}`);
	};
	return {
		operation: () => run([hermes, ...args]),
		floor: () => run([hello]),
		[Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
	};
}
