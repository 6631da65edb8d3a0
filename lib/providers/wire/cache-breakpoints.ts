/** Which messages of a request are marked for the provider's cache: the prompt is read from the longest marked beginning it knows. */

import type { SystemMessage } from "../../base/conversation.ts";

/** What is known of a message of the wire, in order. */
export interface Markable {
	/** Whether a mark can stand on it at all; an empty one has no place for it. */
	readonly markable: boolean;
	/** Whether the user speaks in it. */
	readonly user: boolean;
}

/** Anthropic takes so many marks in one request. */
const mostMarks = 4;

/**
 * Indices of the messages to mark, oldest first: the newest, and always the end of the turn before this one. `taken` marks stand
 * on the system prompt.
 */
export function breakpoints(messages: readonly Markable[], taken = 1): number[] {
	const left = mostMarks - taken;
	const places = messages.flatMap(({ markable }, index) => (markable ? [index] : []));
	const newestUser = messages.findLastIndex(({ user }) => user);
	const endOfTurn = places.findLast((index) => index < newestUser);
	const newest = places.slice(-left);
	if (endOfTurn === undefined || newest.includes(endOfTurn)) return newest;
	return [endOfTurn, ...newest.slice(1 - left)];
}

/** A system prompt in the parts that each get a mark: what other conversations begin with too, and the rest. */
export function promptParts({ content, stable = 0 }: SystemMessage): readonly string[] {
	const parts = [content.slice(0, stable), content.slice(stable)];
	return parts.every((part) => part.trim() !== "") ? parts : [content];
}
