/** Histories and titles as a session that goes on needs them. */

import { expect, test } from "bun:test";
import type { Message } from "../../lib/base/conversation.ts";
import { answeredCalls } from "../../lib/cli/runtime/answered-calls.ts";
import { usableTitle } from "../../lib/cli/runtime/session-title.ts";

const user: Message = { role: "user", content: "q" };
const asks = (...ids: string[]): Message => ({
	role: "assistant",
	content: "",
	toolCalls: ids.map((id) => ({ id, name: "terminal", arguments: "{}" })),
});
const answer = (toolCallId: string, content = "{}"): Message => ({
	role: "tool",
	toolCallId,
	toolName: "terminal",
	content,
});
const lost = answer(
	"b",
	'{"error":"No result: it was lost when hermes ended. What the call had done until then stays"}',
);

test.each([
	["leaves a whole history as it is", [user, asks("a"), answer("a"), user], [user, asks("a"), answer("a"), user]],
	["answers what was lost", [asks("a", "b"), answer("a"), user], [asks("a", "b"), answer("a"), lost, user]],
	["leaves calls at the end to the agent", [user, asks("a", "b"), answer("a")], [user, asks("a", "b"), answer("a")]],
	[
		"puts answers in the order of the calls",
		[asks("a", "b"), answer("b"), answer("a")],
		[asks("a", "b"), answer("a"), answer("b")],
	],
	["drops answers to nothing", [user, answer("x"), user], [user, user]],
	["keeps the first of two", [asks("a"), answer("a"), answer("a", "2"), user], [asks("a"), answer("a"), user]],
])("answeredCalls() %s", (_, messages, repaired) => {
	expect(answeredCalls(messages)).toEqual(repaired);
});

test.each([
	['"Counting Up Slowly."', "Counting Up Slowly"],
	["**Title:** Fixing `make`\n\nmore", "Fixing `make"],
	["<think>hm</think>\n# A Leak Found", "A Leak Found"],
	["", undefined],
	[" \n", undefined],
	[`${"word ".repeat(30)}`, `${"word ".repeat(15)}word`.trim()],
])("usableTitle() makes of %p %p", (text, title) => {
	expect(usableTitle(text)).toBe(title);
});
