/** hermes tools: the tool layer without a model. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHermes, startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

describe.concurrent("hermes tools list", () => {
	test("hermes tools list --json holds name, toolset, description and whether it can be used", async () => {
		using home = temporaryFolder();
		const { stdout, stderr, exitCode } = await runHermes(["tools", "list", "--json"], { home: home.path });
		expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
		const rows = JSON.parse(stdout) as { name: string; toolset: string; available: boolean }[];
		expect(rows.map(({ name, toolset, available }) => [name, toolset, available])).toEqual([
			["patch", "file", true],
			["read_file", "file", true],
			["search_files", "file", true],
			["terminal", "terminal", true],
			["write_file", "file", true],
		]);
	});

	test.each([
		[["tools", "list", "-t", "terminal"]],
		[["-t", "terminal", "tools", "list"]],
		[["tools", "-t", "terminal", "list"]],
	])("hermes %p lists the same: a flag may stand before or after the subcommand", async (args) => {
		using home = temporaryFolder();
		const { stdout, exitCode } = await runHermes(args, { home: home.path });
		expect({ exitCode, names: stdout.match(/^\S+/gm) }).toEqual({ exitCode: 0, names: ["terminal"] });
	});
});

describe.concurrent("hermes tools schema", () => {
	test("hermes tools schema NAME prints what a model is told", async () => {
		using home = temporaryFolder();
		const { stdout, exitCode } = await runHermes(["tools", "schema", "terminal"], { home: home.path });
		const { name, description, parameters } = JSON.parse(stdout);
		expect({ exitCode, name, type: parameters.type, required: parameters.required }).toEqual({
			exitCode: 0,
			name: "terminal",
			type: "object",
			required: ["command"],
		});
		expect(description).toBeString();
	});

	test("hermes tools schema names the nearest tool", async () => {
		using home = temporaryFolder();
		expect(await runHermes(["tools", "schema", "red_file"], { home: home.path })).toEqual({
			stdout: "",
			stderr: 'hermes: Cannot find tool "red_file": no tool has that name; did you mean "read_file"?\n',
			exitCode: 1,
		});
	});
});

describe.concurrent("hermes tools call", () => {
	async function call(args: readonly string[], options: { stdin?: string; env?: Record<string, string> } = {}) {
		using home = temporaryFolder();
		writeFileSync(join(home.path, "a.txt"), "one\n");
		const ran = await runHermes(["tools", "call", ...args], { home: home.path, ...options });
		return {
			result: JSON.parse(ran.stdout),
			stderr: ran.stderr,
			exitCode: ran.exitCode,
			made: existsSync(join(home.path, "made")),
		};
	}

	test("hermes tools call prints the result", async () => {
		const { result, ...rest } = await call(["read_file", '{"path":"a.txt"}']);
		expect(rest).toEqual({ stderr: "", exitCode: 0, made: false });
		expect(result.content).toContain("one");
	});

	test("hermes tools call NAME - reads the arguments from standard input", async () => {
		const { result, exitCode } = await call(["read_file", "-"], { stdin: '{"path":\n"a.txt"}\n' });
		expect(exitCode).toBe(0);
		expect(result.content).toContain("one");
	});

	test.each([
		{ args: ["terminal", '{"command":"touch made"}', "--yolo"], env: {} },
		{ args: ["terminal", '{"command":"touch made"}'], env: { HERMES_YOLO_MODE: "1" } },
	])("hermes tools call $args $env runs what needs approval", async ({ args, env }) => {
		const { result, ...rest } = await call(args, { env });
		expect(rest).toEqual({ stderr: "", exitCode: 0, made: true });
		expect(result).toMatchObject({ output: "", exit_code: 0, ran_on: "local" });
	});

	test.each([
		{ args: ["terminal", '{"command":"touch made"}'], exitCode: 3, error: /approval/ },
		{ args: ["red_file", "{}"], exitCode: 1, error: /did you mean "read_file"/ },
		{ args: ["read_file", '{"path":'], exitCode: 1, error: /JSON/ },
		{ args: ["read_file", "[]"], exitCode: 1, error: /object/ },
		{ args: ["read_file"], exitCode: 1, error: /path/ },
		{ args: ["read_file", '{"path":"nowhere"}'], exitCode: 1, error: /nowhere/ },
		{ args: ["terminal", '{"command":"rm -rf /"}', "--yolo"], exitCode: 1, error: /Blocked/ },
	])("hermes tools call $args exits $exitCode with an error", async ({ args, exitCode, error }) => {
		const got = await call(args);
		expect({ stderr: got.stderr, exitCode: got.exitCode, made: got.made }).toEqual({
			stderr: "",
			exitCode,
			made: false,
		});
		expect(got.result.error).toMatch(error);
	});
});

describe.concurrent("hermes tools pipe", () => {
	interface Answer {
		readonly id: unknown;
		readonly result: string;
	}

	async function pipe(lines: readonly string[], ...flags: string[]) {
		using home = temporaryFolder();
		const ran = await runHermes(["tools", "pipe", ...flags], { home: home.path, stdin: lines.join("\n") });
		const answers = ran.stdout
			.split("\n")
			.filter(Boolean)
			.map((line) => JSON.parse(line) as Answer);
		return { answers, stderr: ran.stderr, exitCode: ran.exitCode };
	}

	const terminal = (id: unknown, command: string) => JSON.stringify({ id, name: "terminal", arguments: { command } });

	test("hermes tools pipe answers each line with its id, in the order in which calls end", async () => {
		const { answers, stderr, exitCode } = await pipe(
			[terminal("slow", "sleep 0.5; echo 1"), "", terminal(2, "echo 2")],
			"--yolo",
		);
		expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
		expect(answers.map(({ id, result }) => [id, JSON.parse(result).output.trim()])).toEqual([
			[2, "2"],
			["slow", "1"],
		]);
	});

	test("hermes tools pipe answers at once and keeps one shell session", async () => {
		using home = temporaryFolder();
		const running = startHermes(["tools", "pipe", "--yolo"], { home: home.path, stdin: "open" });
		running.write(`${terminal(1, "cd /usr; export KEPT=yes")}\n`);
		await running.shows('"id":1');
		running.write(`${terminal(2, "pwd; echo $KEPT")}\n`);
		await running.shows('"id":2');
		running.write();
		const { stdout, exitCode } = await running.ended;
		const [, second = "{}"] = stdout.split("\n");
		const { output } = JSON.parse(JSON.parse(second).result) as { output: string };
		expect({ exitCode, output: output.trim() }).toEqual({ exitCode: 0, output: "/usr\nyes" });
	});

	test("hermes tools pipe answers a wrong line and goes on", async () => {
		const { answers, exitCode } = await pipe([
			"{broken",
			'{"id":7}',
			'{"id":8,"name":"read_file","arguments":{}}',
			'{"id":9,"name":"terminal","arguments":"{\\"command\\":\\"true\\"}"}',
			"[]",
			"null",
		]);
		const errors = answers.map(({ id, result }) => [id, JSON.parse(result).error]);
		expect(exitCode).toBe(0);
		expect(errors).toHaveLength(6);
		const of = (id: unknown) => errors.filter(([given]) => given === id).map(([, error]) => error);
		expect(of(null)).toEqual([expect.stringContaining("not JSON"), expect.any(String), expect.any(String)]);
		expect(of(7)).toEqual([expect.stringContaining("name")]);
		expect(of(8)).toEqual([expect.stringContaining("path")]);
		expect(of(9)).toEqual([expect.stringContaining("approval")]);
	});

	test("hermes tools pipe ends with 130 on Ctrl-C although its input stays open", async () => {
		using home = temporaryFolder();
		const running = startHermes(["tools", "pipe"], { home: home.path, stdin: "open" });
		running.write('{"id":1}\n');
		await running.shows('"id":1');
		running.kill("SIGINT");
		expect((await running.ended).exitCode).toBe(130);
	});
});
