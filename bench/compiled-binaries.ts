/** The executables that start-up is measured with: `dist/hermes` and the least that a compiled program can be. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBinary } from "../scripts/build-binary.ts";
import type { Pair } from "./bench.ts";

const dist = join(import.meta.dir, "../dist");

/** Compares `dist/hermes` run with `args` to a program, built the same way, that prints one word. */
export async function compareWithHello(args: readonly string[]): Promise<Pair> {
	const hermes = join(dist, "hermes");
	if (!(await Bun.file(hermes).exists())) throw new Error(`Cannot measure "${hermes}": build it first (bun run build)`);
	const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
	const entry = join(folder, "hello.ts");
	const hello = join(dist, "bench-hello");
	await Bun.write(entry, 'console.log("hello");\n');
	await buildBinary({ entry, outfile: hello, version: "0" });
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
