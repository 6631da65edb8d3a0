/** hermes tools: the tool layer without a model. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tools } from "../../lib/tools/all.ts";
import { runInProcess } from "../support/command-line.ts";
import { runHermes, startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** One row of `hermes tools list --json`. */
interface ListedTool {
	readonly name: string;
	readonly toolset: string;
	readonly available: boolean;
	readonly enabled: boolean;
	readonly reason?: string;
}

const toolNames = Object.keys(tools)
	.map((file) => file.replaceAll("-", "_"))
	.sort();

describe.concurrent("hermes tools list", () => {
	test("hermes tools list --json holds name, toolset, description and whether it can be used", async () => {
		using home = temporaryFolder();
		const { stdout, stderr, exitCode } = await runHermes(["tools", "list", "--json"], { home: home.path });
		expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
		const rows = JSON.parse(stdout) as ListedTool[];
		expect(rows.map(({ name }) => name)).toEqual(toolNames);
		expect(rows.filter(({ toolset }) => toolset === "file").map(({ name, available }) => [name, available])).toEqual([
			["patch", true],
			["read_file", true],
			["search_files", true],
			["write_file", true],
		]);
		expect(rows.filter(({ available, reason }) => available === (reason !== undefined))).toEqual([]);
	});

	test.each([
		[["tools", "list", "-t", "terminal"]],
		[["-t", "terminal", "tools", "list"]],
		[["tools", "-t", "terminal", "list"]],
	])("hermes %p lists the same: a flag may stand before or after the subcommand", async (args) => {
		using home = temporaryFolder();
		const { stdout, exitCode } = await runHermes(args, { home: home.path });
		expect({ exitCode, names: stdout.match(/^\S+/gm) }).toEqual({ exitCode: 0, names: ["process", "terminal"] });
	});
});

describe("hermes tools list -t", () => {
	test("hermes tools list -t termnal names the nearest; -tui is not -t ui (#35618)", async () => {
		using home = temporaryFolder();
		const misspelt = await runInProcess(["tools", "list", "-t", "termnal"], home.path);
		const glued = await runInProcess(["tools", "list", "-tui"], home.path);
		const apart = await runInProcess(["tools", "list", "-t", "ui"], home.path);
		expect([misspelt, glued, apart]).toEqual([
			{
				stdout: "",
				stderr:
					'hermes: Cannot select toolset "termnal": no toolset and no tool has that name; did you mean "terminal"?\n',
				exitCode: 2,
			},
			{ stdout: "", stderr: 'hermes: Cannot understand "-tui": unknown flag; did you mean "-t ui"?\n', exitCode: 2 },
			{
				stdout: "",
				stderr: expect.stringMatching(
					/^hermes: Cannot select toolset "ui": no toolset and no tool has that name; toolsets are .*file, .*terminal/,
				),
				exitCode: 2,
			},
		]);
	});
});

describe("hermes tools enable and disable", () => {
	/** A home with this config.yaml, and hermes in it. */
	function homeWith(config = "") {
		const home = temporaryFolder();
		mkdirSync(join(home.path, ".hermes"));
		const path = join(home.path, ".hermes", "config.yaml");
		if (config !== "") writeFileSync(path, config);
		const hermes = (...args: string[]) => runInProcess(args, home.path);
		const enabled = async (...more: string[]) => {
			const { stdout } = await hermes("tools", "list", "--json", ...more);
			const rows = JSON.parse(stdout) as ListedTool[];
			return rows.filter((row) => row.enabled).map(({ toolset, name }) => `${toolset}/${name}`);
		};
		return { home, hermes, enabled, config: () => readFileSync(path, "utf8") };
	}
	const isNoTerminal = (name: string) => !name.startsWith("terminal/");

	test("hermes tools disable NAME takes a toolset from everybody, enable gives it back, comments stay", async () => {
		const at = homeWith("# mine\nagent:\n  max_turns: 5 # few\n");
		using _ = at.home;
		const before = await at.enabled();
		const onTelegram = await at.enabled("--platform", "telegram");
		expect(await at.hermes("tools", "disable", "terminal")).toEqual({
			stdout: "Disabled terminal\n",
			stderr: "",
			exitCode: 0,
		});
		expect(await at.enabled()).toEqual(before.filter(isNoTerminal));
		expect(await at.enabled("--platform", "telegram")).toEqual(onTelegram.filter(isNoTerminal));
		expect(at.config()).toStartWith("# mine\nagent:\n  max_turns: 5 # few\n  disabled_toolsets:");
		await at.hermes("tools", "enable", "terminal");
		expect(await at.enabled()).toEqual(before);
	});

	test("hermes tools disable NAME --platform P takes it from one platform only", async () => {
		const at = homeWith();
		using _ = at.home;
		const before = await at.enabled("--platform", "telegram");
		await at.hermes("tools", "disable", "terminal", "--platform", "telegram");
		expect(await at.enabled("--platform", "telegram")).toEqual(before.filter(isNoTerminal));
		expect(await at.enabled()).toContain("terminal/terminal");
		expect(at.config()).toContain("hermes-telegram");
		await at.hermes("tools", "enable", "terminal", "--platform", "telegram");
		expect(await at.enabled("--platform", "telegram")).toEqual(before);
	});

	test("hermes tools disable with a wrong name changes nothing and names the nearest", async () => {
		const at = homeWith("agent: {}\n");
		using _ = at.home;
		const { stderr, exitCode } = await at.hermes("tools", "disable", "file,termnal");
		expect({ exitCode, config: at.config() }).toEqual({ exitCode: 2, config: "agent: {}\n" });
		expect(stderr).toContain('did you mean "terminal"?');
	});

	test.each([
		{ args: ["disable", "terminal", "--platform", "tlegram"], says: 'did you mean "telegram"?' },
		{ args: ["enable", "terminal", "--platform", "tlegram"], says: 'did you mean "telegram"?' },
		{ args: ["list", "--platform", "tlegram"], says: 'did you mean "telegram"?' },
		{ args: ["enable", " , "], says: "name a toolset or a tool" },
		{ args: ["disable", ""], says: "name a toolset or a tool" },
		{ args: ["list", "-t", ","], says: "must name a toolset or a tool" },
	])("hermes tools $args changes nothing and says what is wrong with it", async ({ args, says }) => {
		const at = homeWith("agent: {}\n");
		using _ = at.home;
		const { stdout, stderr, exitCode } = await at.hermes("tools", ...args);
		expect({ stdout, exitCode, config: at.config() }).toEqual({ stdout: "", exitCode: 2, config: "agent: {}\n" });
		expect(stderr).toContain(says);
	});

	test("a deny list with a misspelt name starts nothing (#97111)", async () => {
		const at = homeWith("agent:\n  disabled_toolsets: [termnal]\n");
		using _ = at.home;
		const { stdout, stderr, exitCode } = await at.hermes("tools", "list");
		expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
		expect(stderr).toContain('did you mean "terminal"? (in agent.disabled_toolsets of config.yaml)');
	});

	test("a deny list at the wrong place and one in a variable are warned about (#97111)", async () => {
		const at = homeWith("disabled_toolsets: [terminal]\n");
		using _ = at.home;
		const { stderr } = await runInProcess(["tools", "list"], at.home.path, { HERMES_DISABLED_TOOLSETS: "terminal" });
		expect(stderr).toContain("unknown key disabled_toolsets; did you mean agent.disabled_toolsets?");
		expect(stderr).toContain("HERMES_DISABLED_TOOLSETS is not read; use agent.disabled_toolsets");
	});

	test("a list for a platform that does not exist is warned about, in doctor too (#97111)", async () => {
		const at = homeWith("platform_toolsets: {tlegram: [file]}\n");
		using _ = at.home;
		const says = 'platform_toolsets.tlegram has no effect: no platform has that name; did you mean "telegram"?';
		expect((await at.hermes("tools", "list")).stderr).toContain(says);
		expect((await at.hermes("doctor")).stdout).toContain(says);
	});

	test.each(["hermes-cli", "hermes-gateway"])(
		"disabling the bundle %s leaves the core and says so (#33924)",
		async (name) => {
			const at = homeWith(`agent:\n  disabled_toolsets: [${name}]\n`);
			const plain = homeWith();
			using _ = at.home;
			using _plain = plain.home;
			const { stderr } = await at.hermes("tools", "list");
			expect(await at.enabled()).toEqual(await plain.enabled());
			if (name === "hermes-cli") expect(stderr).toContain('disabling "hermes-cli" changes nothing');
		},
	);
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
		{ args: ["terminal", '{"command":"sh -c \'touch made\'"}'], exitCode: 3, error: /approval/ },
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

	test("hermes tools pipe runs lines in their order, and readers in a row side by side", async () => {
		using home = temporaryFolder();
		const read = (id: number, path: string) => JSON.stringify({ id, name: "read_file", arguments: { path } });
		const lines = [
			terminal("slow", "sleep 0.3; echo new | tee a.txt >b.txt"),
			"",
			read(1, "a.txt"),
			read(2, "b.txt"),
			terminal(3, "echo newer >a.txt"),
			read(4, "a.txt"),
		];
		const ran = await runHermes(["tools", "pipe", "--yolo"], { home: home.path, stdin: lines.join("\n") });
		const answers = ran.stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Answer);
		const contents = new Map(answers.map(({ id, result }) => [id, JSON.parse(result).content]));
		expect({ order: answers.map(({ id }) => id).filter((id) => id !== 1 && id !== 2), exitCode: ran.exitCode }).toEqual(
			{
				order: ["slow", 3, 4],
				exitCode: 0,
			},
		);
		expect([contents.get(1), contents.get(2), contents.get(4)].map(String)).toEqual([
			expect.stringContaining("new"),
			expect.stringContaining("new"),
			expect.stringContaining("newer"),
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
			'{"id":9,"name":"terminal","arguments":"{\\"command\\":\\"sh -c true\\"}"}',
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
