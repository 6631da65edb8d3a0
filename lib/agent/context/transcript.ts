/** A part of a conversation as text, for a model that has to sum it up: who said what, cut where it is long. */

import type { Message } from "../../base/conversation.ts";
import { imageText, withImageTexts } from "../../images/image-text.ts";
import { shortenedTo } from "./shorten.ts";

/** Characters of one message, and of the arguments of one call. */
const longestMessage = 6_000;
const shortestMessage = 200;
const longestArguments = 1_500;

/** Takes secrets out of a text. */
export type Mask = (text: string) => string;

/** The messages, one paragraph each, in parts of about `partCharacters`; at most `mostParts` of them. */
export function transcriptParts(
	messages: readonly Message[],
	{ mask, partCharacters, mostParts }: { mask: Mask; partCharacters: number; mostParts: number },
): readonly string[] {
	const each = Math.floor((partCharacters * mostParts) / Math.max(1, messages.length));
	const most = Math.min(longestMessage, Math.max(shortestMessage, each));
	const parts: string[] = [];
	let part = "";
	for (const message of messages) {
		const paragraph = `${paragraphOf(message, { mask, most })}\n\n`;
		if (part !== "" && part.length + paragraph.length > partCharacters) {
			parts.push(part);
			part = "";
		}
		part += paragraph;
	}
	if (part !== "") parts.push(part);
	return parts;
}

function paragraphOf(said: Message, { mask, most }: { mask: Mask; most: number }): string {
	const message = withImageTexts(said, imageText);
	// Masked before it is cut: half a secret is not recognised.
	const text = shortenedTo(plain(mask(message.content)), Math.floor(most * 0.7), Math.floor(most * 0.25));
	if (message.role === "tool") return `[result of ${message.toolName}]\n${text}`;
	if (message.role === "user") return `[${message.origin === "harness" ? "program" : "user"}]\n${text}`;
	if (message.role === "system") return `[system]\n${text}`;
	const calls = message.toolCalls.map(
		(call) => `[call of ${call.name}] ${shortenedTo(mask(call.arguments), longestArguments, 0)}`,
	);
	return ["[assistant]", ...(text === "" ? [] : [text]), ...calls].join("\n");
}

/** A line that would send a file must not do it a second time out of a summary (#14665). */
function plain(text: string): string {
	return text.replaceAll(/\bMEDIA:(?=\S)/g, "media file ");
}
