/** hermes chat -q and hermes -z: one question against a chat-completions server, or a cassette. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { type ScriptedAnswer, startOpenAiServer } from "../support/openai-server.ts";
import { type HermesOptions, runHermes, startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const runCommand = (command: string): ScriptedAnswer => ({
	toolCalls: [{ name: "terminal", arguments: JSON.stringify({ command }) }],
});

/** Runs hermes against a server that gives `answers`. */
async function ask(
	answers: readonly ScriptedAnswer[],
	args: readonly string[],
	{ config, ...options }: Omit<HermesOptions, "home"> & { readonly config?: string } = {},
) {
	using home = temporaryFolder();
	if (config !== undefined) writeConfig(home.path, config);
	await using server = startOpenAiServer(answers);
	const ran = await runHermes(["-m", "test-model", "--base-url", server.url, ...args], { home: home.path, ...options });
	return { ...ran, requests: server.requests, made: existsSync(join(home.path, "made")) };
}

function writeConfig(home: string, config: string): void {
	mkdirSync(join(home, ".hermes"));
	writeFileSync(join(home, ".hermes", "config.yaml"), config);
}

/** A failure is told at once. */
const tryOnce = "agent: {api_max_retries: 1}\n";

describe.concurrent("hermes chat -q", () => {
	test("hermes chat -q streams the answer to standard output, tool calls to standard error, and keeps the session", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([
			{ text: "I run it.", ...runCommand("echo hi; touch made") },
			{ text: "It said hi." },
		]);
		const args = ["chat", "-q", "run it", "-m", "test-model", "--base-url", server.url, "--yolo"];
		const { stdout, stderr, exitCode } = await runHermes(args, { home: home.path });
		expect({ stdout, exitCode, made: existsSync(join(home.path, "made")) }).toEqual({
			stdout: "I run it.\nIt said hi.\n",
			exitCode: 0,
			made: true,
		});
		expect(stderr).toMatch(
			/^▸ terminal echo hi; touch made\n {2}│ hi\n {2}✓ terminal · exit 0 · \d+\.\d\d s · local\n$/,
		);

		using store = openStore(join(home.path, ".hermes/state.db"));
		const [session] = store.listSessions();
		expect(session).toMatchObject({
			source: "cli",
			model: "test-model",
			provider: "custom",
			cwd: home.path,
			endReason: "cli_close",
		});
		expect(store.listMessages(session?.id ?? "").map(({ message }) => message.role)).toEqual([
			"user",
			"assistant",
			"tool",
			"assistant",
		]);
	});

	test("hermes chat -q - reads the question from standard input", async () => {
		const { requests, exitCode } = await ask([{ text: "ok" }], ["chat", "-q", "-"], { stdin: "from\nstdin\n" });
		expect({ exitCode, asked: requests[0]?.body.messages.at(-1)?.content }).toEqual({
			exitCode: 0,
			asked: "from\nstdin\n",
		});
	});

	test("hermes chat -q TEXT does not wait for a standard input that stays open", async () => {
		const { stdout, exitCode } = await ask([{ text: "ok" }], ["chat", "-q", "hi"], { stdin: "open" });
		expect({ stdout, exitCode }).toEqual({ stdout: "ok\n", exitCode: 0 });
	});

	test.each([[["-z", "hi"]], [["chat", "-Q", "-q", "hi"]]])("hermes %p prints the final text only", async (args) => {
		const { stdout, stderr, exitCode } = await ask(
			[{ text: "First.", ...runCommand("echo no") }, { text: "Last." }],
			["--yolo", ...args],
		);
		expect({ stdout, exitCode }).toEqual({ stdout: "Last.\n", exitCode: 0 });
		expect(stderr).toMatch(/^session_id: \S+\n$/);
	});

	test("hermes chat --output stream-json prints one event a line", async () => {
		const answers = [{ text: "Go.", ...runCommand("printf x") }, { text: "Done." }];
		const { stdout, stderr, exitCode } = await ask(answers, ["chat", "-q", "hi", "--yolo", "--output", "stream-json"]);
		const events = stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
		expect({ types, stderr, exitCode }).toEqual({
			types: [
				"session_started",
				"text_delta",
				"assistant_message",
				"tool_started",
				"tool_output",
				"tool_finished",
				"text_delta",
				"assistant_message",
				"turn_finished",
			],
			stderr: "",
			exitCode: 0,
		});
		expect(events.at(-1)).toMatchObject({ ended: "answered", text: "Done.", model_calls: 2, denied_calls: 0 });
	});

	test("hermes chat --output json prints one object at the end", async () => {
		const { stdout, stderr, exitCode } = await ask([{ text: "Done." }], ["chat", "-q", "hi", "--output", "json"]);
		expect({ stderr, exitCode, lines: stdout.split("\n").length }).toEqual({ stderr: "", exitCode: 0, lines: 2 });
		expect(JSON.parse(stdout)).toMatchObject({ ended: "answered", text: "Done.", model: "test-model", model_calls: 1 });
	});

	test("hermes chat -q denies what nobody can approve and exits 3", async () => {
		const { stdout, exitCode, made, requests } = await ask(
			[runCommand("sh -c 'touch made'"), { text: "I could not." }],
			["chat", "-q", "hi"],
		);
		expect({ stdout, exitCode, made }).toEqual({ stdout: "I could not.\n", exitCode: 3, made: false });
		expect(JSON.stringify(requests[1]?.body.messages.at(-1))).toContain("--yolo");
	});

	test("hermes chat --max-turns stops and exits 1", async () => {
		const { stderr, exitCode, requests } = await ask(
			[runCommand("true")],
			["chat", "-q", "hi", "--yolo", "--max-turns", "2"],
		);
		expect({ exitCode, requests: requests.length }).toEqual({ exitCode: 1, requests: 4 });
		expect(stderr).toContain("stopped at the limit of model calls");
	});

	test.each([[["-t", "terminal", "chat"]], [["chat", "-t", "terminal"]]])(
		"hermes %p gives the model the same tools (R136)",
		async (args) => {
			const { requests } = await ask([{ text: "ok" }], [...args, "-q", "hi"]);
			const tools = requests[0]?.body.tools as { function: { name: string } }[];
			expect(tools.map((tool) => tool.function.name)).toEqual(["process", "terminal"]);
		},
	);

	test("hermes chat --record writes a cassette that plays again", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([runCommand("echo hi"), { text: "It said hi." }]);
		const live = ["-m", "m", "--base-url", server.url, "--record", "tape.jsonl"];
		const recorded = await runHermes(["chat", "--yolo", "-q", "hi", ...live], { home: home.path });
		const played = await runHermes(["chat", "--yolo", "-q", "hi", "--cassette", "tape.jsonl"], { home: home.path });
		expect([recorded, played].map(({ stdout, exitCode }) => ({ stdout, exitCode }))).toEqual([
			{ stdout: "It said hi.\n", exitCode: 0 },
			{ stdout: "It said hi.\n", exitCode: 0 },
		]);
		expect(server.requests).toHaveLength(2);
	});
});

describe.concurrent("hermes chat -q and a provider that fails", () => {
	test.each([
		{ fault: "401", said: /OPENAI_API_KEY|key/i },
		{ fault: "429", said: /rate|limit|429/i },
		{ fault: "garbage-body", said: /./ },
		{ fault: "garbage-sse", said: /./ },
		{ fault: "empty-stream", said: /./ },
	] as const)("a provider that answers $fault is one line and exit 1", async ({ fault, said }) => {
		const { stdout, stderr, exitCode } = await ask([{ fault }], ["chat", "-q", "hi"], {
			env: { OPENAI_API_KEY: "sk-secret-1234567890" },
			config: tryOnce,
		});
		expect({ stdout: stdout.trim(), exitCode, lines: stderr.split("\n").length }).toEqual({
			stdout: "",
			exitCode: 1,
			lines: 2,
		});
		expect(stderr).toMatch(said);
		expect(stderr).not.toContain("sk-secret");
	});

	test.each(["json", "stream-json"])("hermes chat --output %s tells a failure on both streams", async (output) => {
		const { stdout, stderr, exitCode } = await ask([{ fault: "401" }], ["chat", "-q", "hi", "--output", output]);
		const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
		expect({ exitCode, ended: last.ended, stderr }).toEqual({
			exitCode: 1,
			ended: "failed",
			stderr: `hermes: ${last.error}\n`,
		});
	});

	test("a provider that cannot be reached is one line and exit 1", async () => {
		using home = temporaryFolder();
		writeConfig(home.path, tryOnce);
		const args = ["-m", "m", "--base-url", "http://127.0.0.1:1/v1", "-z", "hi"];
		const { stdout, stderr, exitCode } = await runHermes(args, { home: home.path });
		expect({ stdout, exitCode, lines: stderr.split("\n").length }).toEqual({ stdout: "", exitCode: 1, lines: 2 });
	});

	test("a provider that never answers is left with Ctrl-C, with 130", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ fault: "never" }]);
		const running = startHermes(["chat", "-q", "hi", "-m", "m", "--base-url", server.url], { home: home.path });
		while (server.requests.length === 0) await Bun.sleep(10);
		running.kill("SIGINT");
		expect(await running.ended).toEqual({ stdout: "", stderr: "hermes: interrupted\n", exitCode: 130 });
	});

	test("Ctrl-C during a command ends it and the turn", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([runCommand("echo begun; sleep 60"), { text: "no" }]);
		const args = ["chat", "-q", "hi", "--yolo", "-m", "m", "--base-url", server.url];
		const running = startHermes(args, { home: home.path });
		await running.shows("│ begun");
		running.kill("SIGINT");
		const { exitCode } = await running.ended;
		expect({ exitCode, requests: server.requests.length }).toEqual({ exitCode: 130, requests: 1 });
	});
});

describe.concurrent("hermes chat -q and bad input", () => {
	test("without any provider it says how to choose one and exits 1", async () => {
		using home = temporaryFolder();
		const { stdout, stderr, exitCode } = await runHermes(["chat", "-q", "hi"], { home: home.path });
		expect({ stdout, exitCode, made: existsSync(join(home.path, ".hermes")) }).toEqual({
			stdout: "",
			exitCode: 1,
			made: false,
		});
		expect(stderr).toContain("--base-url");
		expect(stderr).toContain("OPENAI_API_KEY");
		expect(stderr).toContain("hermes demo");
	});

	test.each([
		{ name: "a broken line", tape: '{"text":"a"}\n{"tool_calls":3}\n', said: 'Cannot play "tape.jsonl": line 2: ' },
		{ name: "no turn", tape: "\n", said: 'Cannot play "tape.jsonl": it holds no turn' },
	])("a cassette with $name is one line and exit 1", async ({ tape, said }) => {
		using home = temporaryFolder();
		writeFileSync(join(home.path, "tape.jsonl"), tape);
		const { stdout, stderr, exitCode } = await runHermes(["chat", "-q", "hi", "--cassette", "tape.jsonl"], {
			home: home.path,
		});
		expect({
			stdout,
			exitCode,
			lines: stderr.split("\n").length,
			made: existsSync(join(home.path, ".hermes")),
		}).toEqual({
			stdout: "",
			exitCode: 1,
			lines: 2,
			made: false,
		});
		expect(stderr).toStartWith(`hermes: ${said}`);
	});

	test("a HERMES_HOME that cannot be written is one line and exit 1, and nothing is asked", async () => {
		const { stdout, stderr, exitCode, requests } = await ask([{ text: "no" }], ["chat", "-q", "hi"], {
			env: { HERMES_HOME: "/dev/null/home" },
		});
		expect({ stdout, stderr, exitCode, requests: requests.length }).toEqual({
			stdout: "",
			stderr:
				'hermes: Cannot write to HERMES_HOME "/dev/null/home": a part of the path is a file; set HERMES_HOME to a folder of your own\n',
			exitCode: 1,
			requests: 0,
		});
	});

	test("a state.db of another program is left as it is", async () => {
		using home = temporaryFolder();
		const path = join(home.path, "state.db");
		writeFileSync(
			path,
			"not a database, but somebody's file that is longer than one hundred bytes, so that it might be one",
		);
		const before = readFileSync(path);
		const args = ["-z", "hi", "-m", "m", "--base-url", "http://127.0.0.1:1/v1"];
		const { stderr, exitCode } = await runHermes(args, { home: home.path, env: { HERMES_HOME: home.path } });
		expect({ exitCode, lines: stderr.split("\n").length, same: readFileSync(path).equals(before) }).toEqual({
			exitCode: 1,
			lines: 2,
			same: true,
		});
	});
});
