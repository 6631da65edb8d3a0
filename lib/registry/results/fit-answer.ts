/** Cutting an answer that is too long for a model, so that what is left is still one valid JSON object. */

import { cutMiddle } from "../cut-text.ts";
import { type ToolAnswer, toolError, toolResult } from "../tool.ts";

/** Texts shorter than this stay whole: a path or a status cut in half helps nobody. */
const shortestCut = 200;
/** Characters that one entry of a list is reckoned to take, to know how many entries may stay. */
const entryCost = 50;

/** `answer` itself when it has at most `limit` characters; else the same object with its long texts and lists cut. */
export function fitAnswer(answer: ToolAnswer, limit: number): ToolAnswer {
	if (answer.length <= limit) return answer;
	const value: unknown = JSON.parse(answer);
	if (isObject(value)) {
		// What a text costs in JSON is more than its length, so the budget shrinks until the whole fits.
		for (let budget = limit; budget > shortestCut; budget = Math.floor(budget * 0.8)) {
			const fitted = toolResult(
				cutObject(value, { texts: longestText(value, budget), entries: Math.ceil(budget / entryCost) }),
			);
			if (fitted.length <= limit) return fitted;
		}
	}
	return toolError(`The result has ${answer.length} characters and cannot be cut to ${limit}; ask for less`);
}

/** The object in `answer` with its texts and lists cut to about `budget` characters; undefined when it is no object. */
export function cutTexts(answer: ToolAnswer, budget: number): Record<string, unknown> | undefined {
	const value: unknown = JSON.parse(answer);
	if (!isObject(value)) return undefined;
	const cut = cutObject(value, { texts: longestText(value, budget), entries: Math.ceil(budget / entryCost) });
	// Keys without end, or numbers: nothing that can be cut.
	return JSON.stringify(cut).length > 4 * budget ? undefined : cut;
}

interface Allowance {
	readonly texts: number;
	readonly entries: number;
}

function cutObject(value: Readonly<Record<string, unknown>>, allowance: Allowance): Record<string, unknown> {
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cutPart(part, allowance)]));
}

function cutPart(part: unknown, allowance: Allowance): unknown {
	if (typeof part === "string") return cutMiddle(part, allowance.texts);
	if (Array.isArray(part)) {
		const kept = part.slice(0, allowance.entries).map((entry) => cutPart(entry, allowance));
		const omitted = part.length - kept.length;
		return omitted === 0 ? kept : [...kept, `[${omitted} of ${part.length} entries cut here]`];
	}
	return isObject(part) ? cutObject(part, allowance) : part;
}

/** The longest that one text may be so that all texts together stay within `budget`; short ones leave room to long ones. */
function longestText(value: unknown, budget: number): number {
	const lengths = textLengths(value).sort((a, b) => a - b);
	let left = budget;
	for (const [index, length] of lengths.entries()) {
		const share = Math.floor(left / (lengths.length - index));
		if (length > share) return Math.max(shortestCut, share);
		left -= length;
	}
	return Number.POSITIVE_INFINITY;
}

function textLengths(value: unknown): number[] {
	if (typeof value === "string") return [value.length];
	if (Array.isArray(value)) return value.flatMap(textLengths);
	return isObject(value) ? Object.values(value).flatMap(textLengths) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
