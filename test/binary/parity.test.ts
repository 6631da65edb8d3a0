/** The compiled binary answers as the sources do. */

import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { builtBinary } from "../support/built-binary.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const main = join(import.meta.dir, "../../main.ts");
let hermes: string;

beforeAll(async () => {
	hermes = await builtBinary();
}, 120_000);

test.each([
	{ args: ["tools", "list", "--json"] },
	{ args: ["tools", "schema", "terminal"] },
	{ args: ["--help"] },
	{ args: ["tools", "list", "-t", "no-such-toolset"] },
])(
	"$args gives the same from source and from the binary",
	async ({ args }) => {
		using home = temporaryFolder();
		const options = { cwd: home.path, env: { HOME: home.path, PATH: "/usr/local/bin:/usr/bin:/bin", NO_COLOR: "1" } };
		const [fromSource, fromBinary] = await Promise.all([
			runProgram([process.execPath, main, ...args], options),
			runProgram([hermes, ...args], options),
		]);
		expect(fromBinary).toEqual(fromSource);
	},
	30_000,
);

test("tools list names the tools that the binary must have", async () => {
	using home = temporaryFolder();
	const options = { cwd: home.path, env: { HOME: home.path, PATH: "/usr/local/bin:/usr/bin:/bin" } };
	const { stdout } = await runProgram([hermes, "tools", "list", "--json"], options);
	const names = ["patch", "read_file", "search_files", "terminal", "write_file"];
	expect(names.filter((name) => !stdout.includes(`"${name}"`))).toEqual([]);
});
