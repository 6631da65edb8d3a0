/** Models that write what they think into their answer, over any cut of the stream. */

import { describe, expect, test } from "bun:test";
import type { Message } from "../../lib/base/conversation.ts";
import { openChatClient } from "../../lib/providers/wire/chat-client.ts";
import { createThinkingSplitter, type ThinkingPiece } from "../../lib/providers/wire/inline-thinking.ts";
import { startWireServer } from "../support/wire-server.ts";

/** What a text is split into: name, text as it came, answer, thought. */
const cases: readonly (readonly [string, string, string, string])[] = [
	["a thought before the answer", "<think>\nTwo and two.\n</think>\n\nFour.\n", "Four.\n", "Two and two."],
	["blanks before the thought", "\n  <think>hm</think>Yes", "Yes", "hm"],
	["other names, in any case", "<Thinking>a</THINKING>\n<REASONING_SCRATCHPAD>b</REASONING_SCRATCHPAD> c", "c", "ab"],
	["a thought that says nothing", "<think>\n\n</think>\n\nAnswer", "Answer", ""],
	["a thought that is never closed", "<think>and then it was cut", "", "and then it was cut"],
	[
		"a thought between two parts of an answer",
		"First.\n\n<think>more?</think>\n\n  Second <b>.",
		"First.\n\n  Second <b>.",
		"more?",
	],
	["a closing tag that closes nothing", "I think\n</think>\nYes", "I think\n\nYes", ""],
	["tags in the middle of a line", "Write <think> and </think> here.", "Write <think> and </think> here.", ""],
	[
		"tags in code",
		"`<think>` is:\n```xml\n<think>\na\n</think>\n```\nDone",
		"`<think>` is:\n```xml\n<think>\na\n</think>\n```\nDone",
		"",
	],
	["what only looks like a tag", "<thinker>\n<t\n< think>\n</thin", "<thinker>\n<t\n< think>\n</thin", ""],
	["an answer with blanks around it", " \n answer \n\n", " \n answer \n\n", ""],
	["letters that are longer in lower case", "<think>İİİİ</think>İ</think>", "İ</think>", "İİİİ"],
	["a thought with another tag in it", "<think>a </thinking> b </think>c", "c", "a </thinking> b"],
];

function split(pieces: readonly string[]) {
	const splitter = createThinkingSplitter();
	const told: ThinkingPiece[] = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
	expect(told.every(({ text }) => text !== "")).toBe(true);
	const all = (type: ThinkingPiece["type"]) =>
		told
			.filter((piece) => piece.type === type)
			.map(({ text }) => text)
			.join("");
	return { text: all("text"), reasoning: all("reasoning") };
}

describe("createThinkingSplitter()", () => {
	test.each(cases)("createThinkingSplitter() knows %s, wherever the text is cut", (_, came, ...[text, reasoning]) => {
		const expected = { text, reasoning };
		expect(split([came])).toEqual(expected);
		expect(split([...came])).toEqual(expected);
		for (let at = 1; at < came.length; at++) {
			expect({ at, ...split([came.slice(0, at), came.slice(at)]) }).toEqual({ at, ...expected });
		}
	});

	test("createThinkingSplitter() shows a plain answer as it comes, and a thought too", () => {
		const splitter = createThinkingSplitter();
		expect(
			["<th", "ink>Let me", " see.", "</think>", "\n\nIt ", "is 4", ".\n"].map((text) => splitter.push(text)),
		).toEqual([
			[],
			[{ type: "reasoning", text: "Let me" }],
			[{ type: "reasoning", text: " see." }],
			[],
			[{ type: "text", text: "It " }],
			[{ type: "text", text: "is 4" }],
			[{ type: "text", text: ".\n" }],
		]);
	});
});

test("complete() keeps a thought in the text out of the answer, and out of what is sent back", async () => {
	const chunk = (delta: object, finish: string | null = null) =>
		`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
	const pieces = ["<thi", "nk>Two and", " two.</th", "ink>\n\nFo", "ur."].map((content) => chunk({ content }));
	await using server = startWireServer({ pieces: [...pieces, chunk({}, "stop"), "data: [DONE]\n\n"] });
	const settings = { provider: "test", baseUrl: `${server.url}/v1`, keyName: "none", stallSeconds: 20 };
	const client = await openChatClient(settings);
	const question: Message = { role: "user", content: "2 + 2?" };
	const ask = (messages: readonly Message[]) =>
		Array.fromAsync(client.complete({ model: "m", messages, tools: [] }, new AbortController().signal));
	const chunks = await ask([question]);
	const message: Message = {
		role: "assistant",
		content: "Four.",
		toolCalls: [],
		reasoning: "Two and two.",
		finishReason: "stop",
	};
	expect(chunks.at(-1)).toEqual({ type: "finished", message });
	expect(chunks.filter(({ type }) => type === "text")).toEqual([
		{ type: "text", text: "Fo" },
		{ type: "text", text: "ur." },
	]);
	await ask([question, message, question]);
	expect(server.seen[1]?.text).not.toContain("Two and two");
});
