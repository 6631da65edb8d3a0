/** Where a conversation is cut: a beginning and an end that stay, and a middle that a summary takes the place of. */

import type { Message } from "../../base/conversation.ts";
import { messagesTokens, messageTokens } from "./estimate.ts";

/** What decides about the cuts. */
export interface CutOptions {
	readonly protectFirst: number;
	readonly protectLast: number;
	/** Tokens that the end may have. */
	readonly tail: number;
}

/** The parts, in their order. */
export interface Cut {
	readonly head: readonly Message[];
	/** What an earlier compression left of what came before the middle. */
	readonly earlier: Message | undefined;
	readonly middle: readonly Message[];
	/** Of the middle: what the user said last, and what they were answered before; these stay word for word. */
	readonly lifted: readonly Message[];
	readonly tail: readonly Message[];
}

/** The end may grow to this part of its tokens so that it begins where it should. */
const stretch = 1.5;
/** Messages that stay at the end however long they are. */
const fewest = 3;
const mostByCount = 8;

/** Undefined when nothing lies between beginning and end. A call is never parted from its answers. */
export function cutConversation(messages: readonly Message[], options: CutOptions): Cut | undefined {
	const summary = messages.findLastIndex(isSummary);
	const head = headEnd(messages, summary, options.protectFirst);
	const from = summary < 0 ? head : summary + 1;
	const widest = tailStart(messages, from, { ...options, tail: options.tail * stretch });
	const tail = widest > from ? widest : tailStart(messages, from, options);
	const start = withLastWords(messages, { from, tail }, options.tail * stretch);
	if (start <= from) return undefined;
	const middle = messages.slice(from, start);
	return {
		head: messages.slice(0, head),
		earlier: summary < 0 ? undefined : messages[summary],
		middle,
		lifted: lastWords(middle, messages.slice(start), options.tail),
		tail: messages.slice(start),
	};
}

/** Whether `message` stands for others that were compressed. */
export function isSummary(message: Message): boolean {
	return message.role === "user" && message.origin === "summary";
}

function headEnd(messages: readonly Message[], summary: number, protectFirst: number): number {
	// Before a summary stands what was the beginning when it was made.
	if (summary >= 0) return summary;
	let end = Math.min(protectFirst, messages.length);
	while (messages[end]?.role === "tool") end++;
	return end;
}

function tailStart(messages: readonly Message[], from: number, { tail, protectLast }: CutOptions): number {
	const rest = messages.length - from;
	const fewestKept = Math.min(Math.max(fewest, Math.min(protectLast, mostByCount)), Math.max(1, Math.floor(rest / 2)));
	let start = messages.length;
	let tokens = 0;
	for (let at = messages.length - 1; at >= from; at--) {
		const message = messages[at];
		tokens += message === undefined ? 0 : messageTokens(message);
		const kept = messages.length - at;
		// A few giants are too much as well: then only the newest stays for sure.
		const isAllowed = tokens <= tail || (kept <= fewestKept && tokens <= 2 * tail) || kept === 1;
		if (!isAllowed) break;
		start = at;
	}
	return groupStart(messages, start, from);
}

/** Answers of tools belong to the message that called them, and what the loop says to the answer it speaks of. */
function groupStart(messages: readonly Message[], start: number, from: number): number {
	let at = start;
	while (at > from && isBound(messages[at])) at--;
	return at;
}

function isBound(message: Message | undefined): boolean {
	return message?.role === "tool" || (message?.role === "user" && message.origin === "harness");
}

/** The user's last words, and the last answer they saw, begin the end when they are not far before it (#10896, #29824). */
function withLastWords(
	messages: readonly Message[],
	{ from, tail }: { readonly from: number; readonly tail: number },
	most: number,
): number {
	const wanted = [messages.findLastIndex(isAsked), messages.findLastIndex(isAnswer)];
	const starts = wanted
		.filter((index) => index >= from && index < tail)
		.map((index) => groupStart(messages, index, from))
		.filter((index) => index > from && messagesTokens(messages.slice(index)) <= most);
	return Math.min(tail, ...starts);
}

function lastWords(middle: readonly Message[], tail: readonly Message[], most: number): readonly Message[] {
	if (tail.some(isAsked)) return [];
	const asked = middle.findLastIndex(isAsked);
	if (asked < 0) return [];
	const answer = middle.slice(0, asked).findLast(isAnswer);
	const question = middle.slice(asked, asked + 1);
	const both = answer === undefined ? question : [answer, ...question];
	return messagesTokens(both) <= most ? both : question;
}

function isAsked(message: Message): boolean {
	return message.role === "user" && message.origin === undefined;
}

function isAnswer(message: Message): boolean {
	return message.role === "assistant" && message.toolCalls.length === 0 && message.content.trim() !== "";
}
