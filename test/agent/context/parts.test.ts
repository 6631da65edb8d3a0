import { describe, expect, test } from "bun:test";
import { cutConversation } from "../../../lib/agent/context/boundaries.ts";
import { contextLimits } from "../../../lib/agent/context/limits.ts";
import { prunedMessages } from "../../../lib/agent/context/prune.ts";
import { shortened } from "../../../lib/agent/context/shorten.ts";
import { summaryBody, summaryMessage } from "../../../lib/agent/context/summary-message.ts";
import { historyProblems } from "../../../lib/agent/history.ts";
import { steered } from "../../../lib/agent/steer.ts";
import type { Message } from "../../../lib/base/conversation.ts";
import { asked, called, compressionSettings, fill, result, rounds, said } from "../../support/long-conversation.ts";

describe("contextLimits()", () => {
	test.each([
		{ window: 8_192, output: 0, threshold: 6_144 },
		{ window: 65_536, output: 0, threshold: 49_152 },
		{ window: 128_000, output: 0, threshold: 64_000 },
		{ window: 128_000, output: 64_000, threshold: 57_600 },
		{ window: 1_000_000, output: 32_000, threshold: 500_000 },
		{ window: 8_192, output: 8_192, threshold: 2_048 },
	])("contextLimits() of $window with answers of $output starts at $threshold", ({ window, output, threshold }) => {
		expect(contextLimits(window, compressionSettings, output).threshold).toBe(threshold);
	});
});

describe("cutConversation()", () => {
	const options = { protectFirst: 3, protectLast: 20, tail: 400 };

	test("cutConversation() never parts a call from its answers, wherever the cuts fall", () => {
		for (let size = 0; size <= 2_000; size += 37) {
			for (const protectFirst of [0, 1, 2, 3, 5]) {
				const history = rounds(12, 200);
				const cut = cutConversation(history, { protectFirst, protectLast: 3, tail: size });
				if (cut === undefined) continue;
				const kept = [...cut.head, summaryMessage("short"), ...cut.lifted, ...cut.tail];
				expect(historyProblems(protectFirst === 0 ? [asked("x"), ...kept] : kept)).toEqual([]);
				expect([...cut.head, ...cut.middle, ...cut.tail]).toEqual(history);
			}
		}
	});

	test("cutConversation() keeps what the user asked last, also far before the end (#10896)", () => {
		const steps = Array.from({ length: 40 }, (_, index) => [
			called(`s${index}`),
			result(`s${index}`, fill(300)),
		]).flat();
		const history = [...rounds(3), asked("do the long thing"), ...steps];
		const cut = cutConversation(history, options);
		expect(cut?.lifted).toEqual([history[11], history[12]] as Message[]);
		expect(cut?.tail.at(0)?.role).toBe("assistant");
		expect(
			historyProblems([...(cut?.head ?? []), summaryMessage("x"), ...(cut?.lifted ?? []), ...(cut?.tail ?? [])]),
		).toEqual([]);
	});

	test("cutConversation() has something to take out of a few giants", () => {
		const giants = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? asked : said)(fill(40_000)));
		const cut = cutConversation(giants, { ...options, protectFirst: 0, tail: 5_000 });
		expect(cut?.middle.length).toBeGreaterThan(5);
	});

	test("cutConversation() goes on from an earlier summary, also at the beginning after a restart", () => {
		const summary = summaryMessage("before");
		const cut = cutConversation([asked("first"), summary, ...rounds(8)], options);
		expect(cut?.earlier).toBe(summary);
		expect(cut?.head).toEqual([asked("first")]);
		expect(cutConversation([summary, ...rounds(8)], options)).toMatchObject({ head: [], earlier: summary });
	});

	test("cutConversation() of what fits gives nothing", () => {
		expect(cutConversation(rounds(1), options)).toBeUndefined();
		expect(cutConversation([], options)).toBeUndefined();
	});
});

describe("prunedMessages()", () => {
	test("prunedMessages() makes old results a line, keeps the newest of equal ones, and shortens arguments inside their JSON", () => {
		const long = fill(500);
		const history: Message[] = [
			called("a", { command: "make all", text: long }),
			result("a", JSON.stringify({ output: "built\nwell", exit_code: 2, filler: long })),
			called("b"),
			result("b", long),
			called("c"),
			result("c", long),
		];
		const pruned = prunedMessages(history, { from: 0, to: 2 });
		expect(pruned[1]?.content).toBe(
			'{"note":"Earlier result of look (command \\"make all\\", exit_code 2): 2 lines, 550 characters, left out"}',
		);
		expect(pruned[3]?.content).toBe('{"note":"The same result stands further down in this conversation"}');
		expect(pruned[5]).toBe(history[5] as Message);
		const [first] = pruned;
		const args = first?.role === "assistant" ? JSON.parse(first.toolCalls[0]?.arguments ?? "") : {};
		expect([args.command, args.text.length < 260]).toEqual(["make all", true]);
	});

	test("prunedMessages() keeps what the user said in a result", () => {
		const content = steered(fill(500), "use tabs");
		const [, pruned] = prunedMessages([called("a"), result("a", content)], { from: 0, to: 2 });
		expect(pruned?.content).toContain("use tabs\n</user_steering>");
	});
});

test("shortened() never cuts a character in half", () => {
	const text = "😀".repeat(300);
	for (let most = 10; most < 40; most++) expect(shortened(text, most).isWellFormed()).toBe(true);
});

test("summaryBody() gives back what summaryMessage() was given, without a plan", () => {
	const { content } = summaryMessage("## Goal\nall of it", [
		{ id: "1", content: "write it", status: "in_progress" },
		{ id: "2", content: "done already", status: "completed" },
	]);
	expect(content).toContain("- [>] 1: write it");
	expect(content).not.toContain("done already");
	expect(summaryBody(content)).toBe("## Goal\nall of it");
	expect(summaryBody("a text without marks")).toBe("a text without marks");
});
