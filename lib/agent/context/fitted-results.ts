/** Cuts results of tools that alone are too long for what is kept of a conversation. */

import type { Message, ToolMessage } from "../../base/conversation.ts";
import { steeringIn } from "../steer.ts";
import { messageTokens, textTokens } from "./estimate.ts";
import { shortened } from "./shorten.ts";

/** Characters of JSON that a character of text may need. */
const escapes = 1.2;

/** `messages` with no result longer than `most` tokens. */
export function fittedResults(messages: readonly Message[], most: number): readonly Message[] {
	return messages.map((message) =>
		message.role === "tool" && messageTokens(message) > most ? fitted(message, most) : message,
	);
}

function fitted(message: ToolMessage, most: number): ToolMessage {
	const steering = steeringIn(message.content);
	const answer = steering === undefined ? message.content : message.content.slice(0, -steering.length).trimEnd();
	const tokens = textTokens(answer);
	const room = Math.max(200, Math.floor((answer.length * Math.min(1, most / tokens)) / escapes));
	const content = JSON.stringify({
		note: "This result was too long to be kept whole; its middle was left out",
		result: shortened(answer, room),
	});
	return { ...message, content: steering === undefined ? content : `${content}\n\n${steering}` };
}
