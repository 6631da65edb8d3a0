/** hermes agent-run: one question from a script. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { agentRunArguments } from "../../lib/cli/agent-run/arguments.ts";
import { runInProcess } from "../support/command-line.ts";
import { type ScriptedAnswer, startOpenAiServer } from "../support/openai-server.ts";
import { type HermesOptions, runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const touch: ScriptedAnswer = {
	text: "I make it.",
	toolCalls: [{ name: "terminal", arguments: '{"command":"echo loud; touch made"}' }],
};

/** Runs it against a server that gives `answers`. */
async function run(
	answers: readonly ScriptedAnswer[],
	args: readonly string[],
	options: Omit<HermesOptions, "home"> = {},
) {
	using home = temporaryFolder();
	await using server = startOpenAiServer(answers);
	const ran = await runHermes(["agent-run", "--model", "m", "--base-url", server.url, ...args], {
		home: home.path,
		...options,
	});
	return { ...ran, requests: server.requests, made: existsSync(join(home.path, "made")) };
}

/** The names of the tools that the model was told of. */
function toolNames(tools: readonly unknown[] | undefined): readonly string[] {
	return (tools ?? []).map((tool) => (tool as { function: { name: string } }).function.name);
}

describe.concurrent("hermes agent-run", () => {
	test("prints the final answer only and exits 0", async () => {
		const { stdout, stderr, exitCode, made } = await run([touch, { text: "Made." }], ["make it", "--yolo"]);
		expect({ stdout, exitCode, made }).toEqual({ stdout: "Made.\n", exitCode: 0, made: true });
		expect(stderr).toMatch(/^session_id: \S+\n$/);
	});

	test("--verbose shows on standard error what it does", async () => {
		const { stdout, stderr } = await run([touch, { text: "Made." }], ["--query", "make it", "--yolo", "--verbose"]);
		expect(stdout).toBe("Made.\n");
		expect(stderr).toMatch(
			/^I make it\.\n▸ terminal echo loud; touch made\n {2}│ loud\n {2}✓ terminal .*\nMade\.\nsession_id: \S+\n$/,
		);
	});

	test("a final answer is 0 although a call was denied", async () => {
		const denied = { toolCalls: [{ name: "terminal", arguments: '{"command":"sh -c \'touch made\'"}' }] };
		const { stdout, exitCode, made } = await run([denied, { text: "I may not." }], ["make it"]);
		expect({ stdout, exitCode, made }).toEqual({ stdout: "I may not.\n", exitCode: 0, made: false });
	});

	test("takes ten model calls and one for a report, and exits 1", async () => {
		const { stdout, stderr, exitCode, requests } = await run([touch], ["make it", "--yolo"]);
		expect({ stdout, stderr, exitCode, requests: requests.length }).toEqual({
			stdout: "I make it.\n",
			stderr: "hermes: stopped at the limit of model calls; allow more with --max-turns N\n",
			exitCode: 1,
			requests: 11,
		});
	});

	test("exits 1 when the model's side fails", async () => {
		const { stdout, exitCode, stderr } = await run([{ fault: "401" }], ["hi"]);
		expect({ stdout, exitCode, lines: stderr.split("\n").length }).toEqual({ stdout: "", exitCode: 1, lines: 2 });
	});

	test("- reads the question from standard input", async () => {
		const { requests, exitCode } = await run([{ text: "ok" }], ["-"], { stdin: "from\nstdin\n" });
		expect({ exitCode, asked: requests[0]?.body.messages.at(-1)?.content }).toEqual({
			exitCode: 0,
			asked: "from\nstdin\n",
		});
	});

	test("the model gets the enabled toolsets without the disabled ones", async () => {
		const flags = ["--enabled-toolsets", "file,terminal", "--disabled-toolsets", "terminal,patch"];
		const { requests } = await run([{ text: "ok" }], ["hi", ...flags]);
		const names = toolNames(requests[0]?.body.tools);
		expect({
			read: names.includes("read_file"),
			others: names.filter((name) => /^(terminal|patch)$/.test(name)),
		}).toEqual({
			read: true,
			others: [],
		});
	});
});

describe("hermes agent-run", () => {
	const key = "sk-0123456789";

	test.each([
		{ args: ["hi", `--api-key=${key}`] },
		{ args: ["--api-key", key, "hi"] },
		{ args: ["--list-tools", "--api-key", key] },
	])("refuses a key on the command line: $args", async ({ args }) => {
		using home = temporaryFolder();
		expect(await runInProcess(["agent-run", ...args], home.path)).toEqual({
			stdout: "",
			stderr:
				"hermes: Cannot take a key on the command line, where everybody on this machine can read it: set OPENAI_API_KEY\n",
			exitCode: 2,
		});
	});

	test.each([
		{ args: [], said: "hermes: Cannot ask nothing: say what to do, as in hermes-agent 'fix the test'\n" },
		{ args: ["hi", "--query", "ho"], said: "hermes: Cannot ask twice: give QUERY or --query\n" },
	])("$args is wrong usage", async ({ args, said }) => {
		using home = temporaryFolder();
		expect(await runInProcess(["agent-run", ...args], home.path)).toEqual({ stdout: "", stderr: said, exitCode: 2 });
	});

	test("--list-tools lists what the model would get", async () => {
		using home = temporaryFolder();
		const { stdout, exitCode } = await runInProcess(
			["agent-run", "--list-tools", "--enabled-toolsets", "read_file,terminal", "--disabled-toolsets", "terminal"],
			home.path,
		);
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^read_file +file +.*\n$/) });
	});
});

describe("agentRunArguments()", () => {
	test("puts the subcommand first and takes the flags of the Python program", () => {
		expect(
			agentRunArguments(["--max_turns=3", "--enabled_toolsets", "a_b", "a --max_turns", "--", "--list_tools"]),
		).toEqual(["agent-run", "--max-turns=3", "--enabled-toolsets", "a_b", "a --max_turns", "--", "--list_tools"]);
	});
});
