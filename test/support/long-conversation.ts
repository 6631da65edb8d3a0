/** Conversations to shorten. */

import type { Message } from "../../lib/base/conversation.ts";
import { callOf } from "./scripted-model.ts";

export const compressionSettings = {
	enabled: true,
	threshold: 0.5,
	targetRatio: 0.2,
	protectFirst: 3,
	protectLast: 20,
	abortOnFailure: false,
};

export const asked = (content: string): Message => ({ role: "user", content });
export const said = (content: string): Message => ({ role: "assistant", content, toolCalls: [] });
export const called = (id: string, args: object = {}): Message => ({
	role: "assistant",
	content: "",
	toolCalls: [callOf("look", args, id)],
});
export const result = (id: string, content: string): Message => ({
	role: "tool",
	toolCallId: id,
	toolName: "look",
	content,
});
/** Text of about so many characters. */
export const fill = (characters: number, word = "word ") => word.repeat(Math.ceil(characters / word.length));

/** Questions, each with one call and an answer: 4 messages of about `characters` a round. */
export function rounds(count: number, characters = 400): Message[] {
	return Array.from({ length: count }, (_, index) => [
		asked(`question ${index} ${fill(characters)}`),
		called(`c${index}`, { path: `/f${index}` }),
		result(`c${index}`, JSON.stringify({ content: `${index} ${fill(characters)}` })),
		said(`answer ${index} ${fill(characters)}`),
	]).flat();
}
