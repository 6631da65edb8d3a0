/** Messages and times as the answers of `session_search` carry them. */

import type { ViewedMessage } from "../../store/search/views.ts";

/** Characters of one message; the rest is reached by scrolling to it. */
export interface ShownLengths {
	readonly spoken: number;
	readonly tool: number;
}

/** The keys of one message. `content` is always there. */
export function shownMessage(message: ViewedMessage, lengths: ShownLengths, anchor?: number) {
	const { id, role, content, timestamp, toolName, toolCalls, toolCallId } = message;
	const isAnchor = id === anchor;
	const length = role === "tool" ? lengths.tool : lengths.spoken;
	return {
		id,
		role,
		content: isAnchor ? cut(content, Math.max(length, anchorLength)) : cut(content, length),
		timestamp,
		...(toolName !== null && { tool_name: toolName }),
		...(toolCalls !== null && { tool_calls: cut(toolCalls, lengths.tool) }),
		...(toolCallId !== null && { tool_call_id: toolCallId }),
		...(isAnchor && { anchor: true }),
	};
}

/** `July 01, 2026 at 02:05 PM`, in the time of this machine. */
export function shownWhen(seconds: number): string {
	const date = new Date(seconds * 1000);
	const day = date.toLocaleDateString("en-US", { year: "numeric", month: "long", day: "2-digit" });
	return `${day} at ${date.toLocaleTimeString("en-US", { hour: "2-digit", minute: "2-digit" })}`;
}

/** The message that was asked for is shown longer than what stands around it. */
const anchorLength = 12_000;

function cut(text: string, length: number): string {
	if (text.length <= length) return text;
	const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
	return `${text.slice(0, end)}… [${text.length - end} more characters]`;
}
