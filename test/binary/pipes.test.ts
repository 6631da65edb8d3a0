/** No byte is lost between processes: to a slow reader (oven-sh/bun#41751), and from one child to another (#28043). */

import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { builtBinary } from "../support/built-binary.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const main = join(import.meta.dir, "../../main.ts");
const programs: Record<string, readonly string[]> = { source: [process.execPath, "--no-env-file", main] };

beforeAll(async () => {
	programs.binary = [await builtBinary()];
}, 120_000);

/** What `seq 1 500000` writes: far more than a pipe holds. */
const manyLines = "seq 1 500000";
const manyBytes = 3_388_895;

describe.each(["source", "binary"])("hermes from %s", (kind) => {
	/** Runs a bash script in which `hermes` is hermes; a failing part of a pipeline is its exit code. */
	const bash = async (script: string, options: { readonly home: string; readonly env?: Record<string, string> }) => {
		const words = (programs[kind] ?? []).map((word) => `'${word}'`).join(" ");
		const text = `set -o pipefail; hermes() { ${words} "$@"; }; ${script}`;
		const env = { HOME: options.home, PATH: "/usr/local/bin:/usr/bin:/bin", ...options.env };
		return await runProgram(["bash", "-c", text], { cwd: options.home, env });
	};

	test("exec gives a slow reader every byte of a child that writes much", async () => {
		using home = temporaryFolder();
		const ran = await bash(`hermes exec '${manyLines}' | (sleep 1; wc -c)`, { home: home.path });
		expect(ran).toEqual({ stdout: `${manyBytes}\n`, stderr: "", exitCode: 0 });
	}, 60_000);

	test("chat gives a slow reader every byte of a call's output", async () => {
		using home = temporaryFolder();
		const call = { name: "terminal", arguments: JSON.stringify({ command: manyLines }) };
		await using server = startOpenAiServer([{ toolCalls: [call] }, { text: "Done." }]);
		const env = { OPENAI_BASE_URL: server.url };
		const script = "hermes chat -q go -m m --yolo --output stream-json | (sleep 1; cat)";
		const { stdout, exitCode } = await bash(script, { home: home.path, env });
		const events = stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		const bytes = events.reduce((sum, event) => sum + (event.type === "tool_output" ? event.text.length : 0), 0);
		expect({ exitCode, bytes, last: events.at(-1)?.type }).toEqual({
			exitCode: 0,
			bytes: manyBytes,
			last: "turn_finished",
		});
	}, 60_000);

	test.skipIf(process.platform !== "linux")(
		"a child's input and output block",
		async () => {
			using home = temporaryFolder();
			const { stdout } = await bash("hermes exec 'grep -h flags /proc/self/fdinfo/[012]'", { home: home.path });
			const nonBlocking = 0o4000;
			const flags = stdout
				.trimEnd()
				.split("\n")
				.map((line) => Number.parseInt(line.replace("flags:", "").trim(), 8));
			expect(flags.map((value) => value & nonBlocking)).toEqual([0, 0, 0]);
		},
		60_000,
	);

	test.skipIf(Bun.which("python3") === null)(
		"a standard output that somebody made non-blocking loses nothing",
		async () => {
			using home = temporaryFolder();
			const python = "import fcntl, os; fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_NONBLOCK)";
			const script = `{ python3 -c '${python}'; hermes exec '${manyLines}'; } | (sleep 1; wc -c)`;
			const ran = await bash(script, { home: home.path });
			expect(ran).toEqual({ stdout: `${manyBytes}\n`, stderr: "", exitCode: 0 });
		},
		60_000,
	);

	test("what one child wrote reaches the next child whole", async () => {
		using home = temporaryFolder();
		const file = join(home.path, "numbers");
		const lines = Array.from({ length: 60_000 }, (_, index) => `${index}\n`);
		// Read by one child, changed here, and written by another.
		const calls = [
			{ name: "write_file", arguments: { path: file, content: lines.join("") } },
			{ name: "patch", arguments: { path: file, old_string: "\n31415\n", new_string: "\nchanged\n" } },
		];
		for (const call of calls) {
			await Bun.write(join(home.path, "call"), `${JSON.stringify({ id: 1, ...call })}\n`);
			const { exitCode } = await bash("hermes tools pipe --yolo <call", { home: home.path });
			expect(exitCode).toBe(0);
		}
		expect(await Bun.file(file).text()).toBe(lines.join("").replace("\n31415\n", "\nchanged\n"));
	}, 60_000);

	test("a pipeline of children loses nothing", async () => {
		using home = temporaryFolder();
		const { stdout } = await bash(`hermes exec '${manyLines} | cat | tee copy | wc -c; wc -c <copy'`, {
			home: home.path,
		});
		expect(stdout).toBe(`${manyBytes}\n${manyBytes}\n`);
	}, 60_000);
});
