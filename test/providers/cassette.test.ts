import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message, ToolMessage } from "../../lib/base/conversation.ts";
import cassette from "../../lib/providers/cassette/index.ts";
import custom from "../../lib/providers/custom.ts";
import { type ModelChunk, type ModelClient, ProviderRefused } from "../../lib/providers/provider.ts";
import { recordTo } from "../../lib/providers/record.ts";
import { startOpenAiServer } from "../support/openai-server.ts";

const values = { project: "/tmp/a+b", name: 'say "hi"' };

async function play(lines: readonly (object | string)[]): Promise<ModelClient> {
	const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
	return cassette.open({ tape: { name: "demo.jsonl", text, values }, stallSeconds: 1 });
}

async function ask(client: ModelClient, messages: readonly Message[] = []): Promise<ModelChunk[]> {
	return Array.fromAsync(client.complete({ model: "m", messages, tools: [] }, new AbortController().signal));
}

async function callsOf(client: ModelClient, messages: readonly Message[] = []) {
	const last = (await ask(client, messages)).at(-1);
	return last?.type === "finished" ? last.message.toolCalls : [];
}

async function refusalOf(promise: Promise<unknown>): Promise<string> {
	const cause = await promise.then(
		() => new Error("was not refused"),
		(reason: unknown) => reason,
	);
	if (!(cause instanceof ProviderRefused)) throw cause;
	expect([cause.kind, cause.message.includes("\n")]).toEqual(["tape", false]);
	return cause.message;
}

function result(toolName: string, content: object): ToolMessage {
	return { role: "tool", toolCallId: "x", toolName, content: JSON.stringify(content) };
}

describe("cassette", () => {
	test("complete() plays one line a call, with templates filled in", async () => {
		const client = await play([
			{
				reasoning: "in {{project}}",
				text: "Looking.",
				tool_calls: [{ name: "terminal", arguments: { command: "cd {{project}}", all: ["{{name}}", 3] } }],
			},
			"",
			{ text: "Done in {{project}} {{ untouched }}." },
		]);
		expect([await ask(client), await ask(client)]).toEqual([
			[
				{ type: "reasoning", text: "in /tmp/a+b" },
				{ type: "text", text: "Looking." },
				{
					type: "finished",
					message: {
						role: "assistant",
						content: "Looking.",
						reasoning: "in /tmp/a+b",
						finishReason: "tool_calls",
						toolCalls: [
							{
								id: "call_1_1",
								name: "terminal",
								arguments: '{"command":"cd /tmp/a+b","all":["say \\"hi\\"",3]}',
							},
						],
					},
				},
			],
			[
				{ type: "text", text: "Done in /tmp/a+b {{ untouched }}." },
				{
					type: "finished",
					message: {
						role: "assistant",
						content: "Done in /tmp/a+b {{ untouched }}.",
						toolCalls: [],
						finishReason: "stop",
					},
				},
			],
		]);
		expect(await refusalOf(ask(client))).toBe(
			'Cannot play "demo.jsonl": the tape ended after line 3, turn 3 is missing',
		);
	});

	test("open() refuses a broken line with its number before anything is played", async () => {
		const good = { text: "fine" };
		const broken: readonly (readonly [object | string, string])[] = [
			["{broken", "it is not JSON"],
			[{}, "it has neither text nor tool_calls"],
			[{ text: 3 }, "text: Invalid input: expected string, received number"],
			[{ text: "x", tool_call: [] }, 'Unrecognized key: "tool_call"'],
			[{ text: "in {{nowhere}}" }, "unknown template {{nowhere}}; known: {{project}}, {{name}}"],
			[
				{ tool_calls: [{ name: "t", arguments: { a: ["{{toString}}"] } }] },
				"unknown template {{toString}}; known: {{project}}, {{name}}",
			],
		];
		for (const [line, state] of broken) {
			expect(await refusalOf(play([good, "", line]))).toBe(`Cannot play "demo.jsonl": line 3: ${state}`);
		}
		expect(await refusalOf(play([{ text: "x", expect: { matches: "(" } }]))).toStartWith(
			'Cannot play "demo.jsonl": line 1: Invalid regular expression',
		);
		expect(await refusalOf(play([""]))).toBe('Cannot play "demo.jsonl": it holds no turn');
	});

	test("complete() plays on when every expectation is met by one of the last results", async () => {
		const expected = [
			{ tool: "terminal", exit_code: 1, contains: "line one\nline two" },
			{ tool: "terminal", exit_code: 0 },
			{ tool: "read_file", matches: "^two: {{project}}$", error: false },
			{ contains: '"total":2' },
			{ error: true },
		];
		const client = await play([{ text: "go on", expect: expected }]);
		const chunks = await ask(client, [
			result("terminal", { output: "of an earlier batch", exit_code: 7 }),
			{ role: "assistant", content: "", toolCalls: [] },
			result("terminal", { output: "line one\nline two\n", exit_code: 1 }),
			result("terminal", { output: "", exit_code: 0 }),
			result("read_file", { content: "one\ntwo: /tmp/a+b\n", total: 2 }),
			result("patch", { error: "no match" }),
		]);
		expect(chunks.at(-1)).toMatchObject({ type: "finished", message: { content: "go on" } });
	});

	test("complete() names line and turn of a result that is not as expected", async () => {
		const messages = [result("terminal", { output: "ok\n", exit_code: 0 }), result("patch", { success: true })];
		const refused = async (expected: object, given: readonly Message[] = messages) =>
			(
				await refusalOf(
					play([{ text: "a" }, "", { text: "b", expect: expected }]).then(async (client) => {
						await ask(client);
						return ask(client, given);
					}),
				)
			).replace('Cannot play "demo.jsonl": line 3, turn 2: ', "");
		expect([
			await refused({ tool: "terminal", exit_code: 1 }),
			await refused({ tool: "patch", error: true, contains: "x" }),
			await refused({ tool: "read_file", matches: "^a" }),
			await refused({ tool: "terminal" }, []),
			await refused({ contains: "of an earlier turn" }, [
				result("terminal", { output: "of an earlier turn" }),
				{ role: "user", content: "next" },
			]),
		]).toEqual([
			'expected a result of terminal with exit code 1, got terminal {"output":"ok\\n","exit_code":0}',
			'expected a result of patch with the text "x" and an error, got patch {"success":true}',
			'expected a result of read_file with a match of /^a/, got terminal {"output":"ok\\n","exit_code":0}, patch {"success":true}',
			"expected a result of terminal, got no result",
			'expected a result with the text "of an earlier turn", got no result',
		]);
	});

	test("complete() plays conversations side by side, each by the first thing that was said in it", async () => {
		const client = await play([
			{ text: "main 1" },
			{ for: "task {{project}}", text: "child 1" },
			{ for: "task", text: "other child" },
			{ text: "main 2" },
			{ for: "task {{project}}", text: "child 2" },
		]);
		const says = async (first: string, ...more: readonly Message[]) => {
			const last = (await ask(client, [{ role: "user", content: first }, ...more])).at(-1);
			return last?.type === "finished" ? last.message.content : "";
		};
		const child = "your task /tmp/a+b";
		expect([await says("go"), await says(child), await says("a task"), await says(child), await says("go")]).toEqual([
			"main 1",
			"child 1",
			"other child",
			"child 2",
			"main 2",
		]);
		expect(await refusalOf(says("a task"))).toBe(
			'Cannot play "demo.jsonl": the tape ended after line 3, turn 2 for "task" is missing',
		);
	});

	test("open() without a tape says what is missing", async () => {
		expect(await cassette.open({ stallSeconds: 1 }).catch((cause: unknown) => String(cause))).toBe(
			"ProviderRefused: Cannot use provider cassette: no cassette was given; name its file",
		);
	});
});

describe("recordTo()", () => {
	let home: string;
	let path: string;
	beforeEach(() => {
		home = mkdtempSync(join(tmpdir(), "hermes-record-"));
		path = join(home, "tape.jsonl");
	});
	afterEach(() => rmSync(home, { recursive: true, force: true }));

	const answers = [
		{
			text: "Look at {{this}} first.",
			reasoning: "hm",
			toolCalls: [
				{ id: "a", name: "terminal", arguments: '{"command":"echo {{ github.ref }} {{project}}"}' },
				{ id: "b", name: "terminal", arguments: '{"command":"cut o' },
			],
		},
		{ toolCalls: [{ id: "c", name: "patch", arguments: '{"old":"\\n\\"x\\"","n":1}' }] },
		{ text: "Done." },
	];
	const conversation: readonly (readonly Message[])[] = [
		[{ role: "user", content: "go" }],
		[result("terminal", { output: "x", exit_code: 2 }), result("terminal", { error: "not complete" })],
		[result("patch", { success: true })],
	];

	async function record(): Promise<ModelChunk[][]> {
		await using server = startOpenAiServer(answers);
		const client = recordTo(path, await custom.open({ baseUrl: server.url, stallSeconds: 20 }));
		const seen: ModelChunk[][] = [];
		for (const messages of conversation) seen.push(await ask(client, messages));
		return seen;
	}

	test("recordTo() writes a private cassette that plays the same messages", async () => {
		const live = await record();
		expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
		const player = await play([readFileSync(path, "utf8")]);
		const replayed: ModelChunk[][] = [];
		for (const messages of conversation) replayed.push(await ask(player, messages));
		expect(replayed.map((chunks) => chunks.at(-1))).toEqual(live.map((chunks) => chunks.at(-1)));
	});

	test("recordTo() tells conversations apart that answer between each other's turns", async () => {
		const source = await play(["main 1", "child 1", "main 2", "child 2"].map((text) => ({ text })));
		const client = recordTo(path, source);
		const [main, child]: Message[] = [
			{ role: "user", content: "go" },
			{ role: "user", content: "do {{this}}" },
		];
		if (main === undefined || child === undefined) throw new Error("there are two");
		for (const message of [main, child, main, child]) await ask(client, [message]);
		const player = await play([readFileSync(path, "utf8")]);
		const said: unknown[] = [];
		for (const message of [child, child, main, main]) said.push((await ask(player, [message])).at(0));
		expect(said).toEqual(["child 1", "child 2", "main 1", "main 2"].map((text) => ({ type: "text", text })));
	});

	test("recordTo() makes a cassette that notices another outcome", async () => {
		await record();
		const player = await play([readFileSync(path, "utf8")]);
		expect((await callsOf(player)).map(({ name }) => name)).toEqual(["terminal", "terminal"]);
		expect(await refusalOf(ask(player, [result("terminal", { output: "", exit_code: 0 })]))).toBe(
			'Cannot play "demo.jsonl": line 2, turn 2: expected a result of terminal with exit code 2, got terminal {"output":"","exit_code":0}',
		);
	});

	test("recordTo() refuses a file that holds something, and a place that cannot be written", async () => {
		const client = await play([{ text: "x" }]);
		writeFileSync(path, "mine\n");
		const refused = (to: string) => refusalOf(Promise.try(() => recordTo(to, client)));
		expect(await refused(path)).toBe(`Cannot record to "${path}": it holds something already; name a new file`);
		expect(await refused(join(path, "x"))).toStartWith(`Cannot record to "${path}/x": ENOTDIR`);
		expect(readFileSync(path, "utf8")).toBe("mine\n");
	});
});
