/** The small parts of the runtime that need no process. */

import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../lib/agent/events.ts";
import { readLines } from "../../lib/cli/input.ts";
import { printable, visible } from "../../lib/cli/runtime/paint.ts";
import { createTextPrinter } from "../../lib/cli/runtime/print-text.ts";
import { shortArgument, shortOutcome } from "../../lib/cli/runtime/short-call.ts";

describe("readLines()", () => {
	test("readLines() joins pieces of lines and of characters, and needs no last line end", async () => {
		const bytes = new TextEncoder().encode("a\r\nbü\n\nc");
		const pieces = new ReadableStream<Uint8Array>({
			start(controller) {
				for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
				controller.close();
			},
		});
		expect(await Array.fromAsync(readLines(pieces))).toEqual(["a", "bü", "", "c"]);
	});
});

describe("printable()", () => {
	test("printable() drops escape sequences and shows what else could move the cursor or hide text", () => {
		expect(printable("\u001b[31mred\u001b[0m\u0007 a\tb\r\nc\u202ed")).toBe("red\\x07 a\tb\nc\\x202ed");
	});
});

describe("visible()", () => {
	test("visible() hides nothing that would run", () => {
		expect(visible("rm -rf /\u001b[2K\rls")).toBe("rm -rf /\\x1b[2K\\x0dls");
	});
});

describe("shortArgument()", () => {
	test.each([
		{ json: '{"timeout":5,"command":"sh  test.sh"}', short: "sh  test.sh" },
		{ json: '{"content":"x","path":"a/b"}', short: "a/b" },
		{ json: '{"note":"hello"}', short: "hello" },
		{ json: '{"isolation":"worktree","tasks":[{"goal":"a"},{"goal":"b\\nc"},{}]}', short: "a; b ⏎ c" },
		{ json: '{"command":"a\\n  b"}', short: "a ⏎ b" },
		{ json: `{"command":"${"x".repeat(200)}"}`, short: `${"x".repeat(119)}…` },
		{ json: "{broken", short: "" },
		{ json: "[1]", short: "" },
		{ json: "{}", short: "" },
	])("shortArgument() gives $short for $json", ({ json, short }) => {
		expect(shortArgument(json)).toBe(short);
	});
});

describe("shortOutcome()", () => {
	test.each([
		{ json: '{"output":"x","exit_code":0}', outcome: { failed: false, facts: ["exit 0"], detail: [] } },
		{ json: '{"output":"x","exit_code":3,"error":null}', outcome: { failed: true, facts: ["exit 3"], detail: [] } },
		{ json: '{"error":"no such file"}', outcome: { failed: true, facts: ["no such file"], detail: [] } },
		{ json: '{"success":true,"diff":"-a\\n+b\\n"}', outcome: { failed: false, facts: [], detail: ["-a", "+b"] } },
		{ json: "no json", outcome: { failed: false, facts: [], detail: [] } },
	])("shortOutcome() reads $json", ({ json, outcome }) => {
		expect(shortOutcome(json)).toEqual(outcome);
	});
});

describe("createTextPrinter()", () => {
	const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
	const end = { session_id: "s", text: "", model_calls: 1, denied_calls: 0, usage } as const;

	function print(events: readonly AgentEvent[]) {
		const shown = { text: "", progress: "" };
		const output = (name: keyof typeof shown) => ({
			isTerminal: false,
			write: (text: string) => {
				shown[name] += text;
			},
		});
		const printer = createTextPrinter({ text: output("text"), progress: output("progress"), paint: (_, text) => text });
		for (const event of events) printer(event);
		return shown;
	}

	test("createTextPrinter() shows streamed text once, and calls with their output, time and place", () => {
		const call = { id: "1", name: "terminal" };
		expect(
			print([
				{ type: "session_started", session_id: "s", provider: "p", model: "m", cwd: "/", ran_on: "local", tools: [] },
				{ type: "text_delta", text: "I lo" },
				{ type: "text_delta", text: "ok." },
				{ type: "assistant_message", text: "I look.", tool_calls: 1 },
				{ type: "tool_started", ...call, arguments: '{"command":"ls"}' },
				{ type: "tool_output", id: "1", text: "a\nb" },
				{ type: "tool_output", id: "1", text: "c 10%\rc 99%" },
				{
					type: "tool_finished",
					...call,
					result: '{"exit_code":1}',
					is_error: false,
					denied: false,
					duration_ms: 1234,
				},
				{ type: "assistant_message", text: "Done.\n", tool_calls: 0 },
				{ type: "turn_finished", ended: "answered", ...end },
			]),
		).toEqual({
			text: "I look.\nDone.\n",
			progress: "▸ terminal ls\n  │ a\n  │ c 99%\n  ✗ terminal · exit 1 · 1.23 s · local\n",
		});
	});

	test("createTextPrinter() shows an answer that was cut, and what it goes on with, as one text", () => {
		const { text } = print([
			{ type: "text_delta", text: "It is 2" },
			{ type: "assistant_message", text: "It is 2", tool_calls: 0, continues: true },
			{ type: "text_delta", text: "0 degrees" },
			{ type: "assistant_message", text: "0 degrees", tool_calls: 0, continues: true },
			{ type: "assistant_message", text: " warm.", tool_calls: 0 },
			{ type: "assistant_message", text: "Done.", tool_calls: 0 },
			{ type: "turn_finished", ended: "answered", ...end },
		]);
		expect(text).toBe("It is 20 degrees warm.\nDone.\n");
	});

	test("createTextPrinter() counts the lines it does not show", () => {
		const { progress } = print([
			{ type: "tool_started", id: "1", name: "terminal", arguments: "{}" },
			{ type: "tool_output", id: "1", text: "x\n".repeat(100) },
			{
				type: "tool_finished",
				id: "1",
				name: "terminal",
				result: "{}",
				is_error: false,
				denied: false,
				duration_ms: 0,
			},
		]);
		expect(progress.match(/│ x\n/g)).toHaveLength(40);
		expect(progress).toContain("  │ … 60 more lines\n");
	});

	test("createTextPrinter() ends a half line and says why a turn failed", () => {
		expect(
			print([
				{ type: "text_delta", text: "half" },
				{ type: "turn_finished", ended: "failed", error: "Cannot reach the server", ...end },
			]),
		).toEqual({ text: "half\n", progress: "hermes: Cannot reach the server\n" });
	});
});
