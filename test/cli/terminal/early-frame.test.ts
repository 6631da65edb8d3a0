/** Which command lines draw the frame of a chat before they are really read. */

import { describe, expect, test } from "bun:test";
import { longFlag } from "../../../lib/cli/command-line/build-command.ts";
import { chatFlags } from "../../../lib/cli/conversation/flags.ts";
import { chatWords, startsChat } from "../../../lib/cli/terminal/early-frame.ts";

describe("startsChat()", () => {
	test.each([
		[[]],
		[["chat"]],
		[["-m", "some/model", "--base-url", "http://127.0.0.1:1/v1"]],
		[["chat", "-c", "--yolo"]],
		[["--resume", "tools"]],
	])("%p starts a chat", (args) => {
		expect(startsChat(args)).toBeTrue();
	});

	test.each([
		[["tools", "list"]],
		[["chat", "-q", "hi"]],
		[["-z", "hi"]],
		[["chat", "--help"]],
		[["--cli"]],
		[["-m", "model", "sessions"]],
		[["-p", "work"]],
		[["--output", "json"]],
		[["-c", "a title"]],
		[["--model=x"]],
	])("%p may be something else", (args) => {
		expect(startsChat(args)).toBeFalse();
	});
});

test("every word that may start a chat is a flag of it, and takes a value where the flag does", () => {
	const known = Object.entries(chatFlags.shape).flatMap(([key, schema]) => {
		const { short, value } = schema.meta() ?? {};
		// A value in brackets may be left out.
		const takesValue = typeof value === "string" && !value.startsWith("[");
		return [longFlag(key), `-${short}`].map((word) => [word, takesValue] as const);
	});
	const flags = Object.fromEntries(known);
	expect(chatWords).toEqual(Object.fromEntries(Object.keys(chatWords).map((word) => [word, flags[word] as boolean])));
});
