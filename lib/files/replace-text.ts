/** Replacing a text that must be there exactly once, or everywhere, in a file whose line ends may differ. */

import { lineEndOf, withLineEnds } from "./text.ts";

export interface ReplaceRequest {
	readonly oldText: string;
	readonly newText: string;
	readonly replaceAll: boolean;
}

export type Replaced =
	| { readonly ok: true; readonly text: string; readonly count: number }
	| { readonly ok: false; readonly code: "empty" | "identical" | "not_found" }
	/** `lines` are where the text begins, from 1. */
	| { readonly ok: false; readonly code: "ambiguous"; readonly lines: readonly number[] };

/**
 * Line ends do not count when looking for `oldText`; what is put in gets the line ends of the file; everything else of
 * `text` stays as it is, byte for byte.
 */
export function replaceText(text: string, request: ReplaceRequest): Replaced {
	const oldText = withLineEnds(request.oldText, "\n");
	const newText = withLineEnds(request.newText, "\n");
	if (oldText.trim() === "") return { ok: false, code: "empty" };
	if (oldText === newText) return { ok: false, code: "identical" };
	const folded = foldLineEnds(text);
	const hits = findAll(folded.text, oldText);
	if (hits.length === 0) return { ok: false, code: "not_found" };
	if (hits.length > 1 && !request.replaceAll)
		return { ok: false, code: "ambiguous", lines: lineNumbers(folded.text, hits) };
	const inserted = withLineEnds(newText, lineEndOf(text));
	const pieces: string[] = [];
	let from = 0;
	for (const hit of hits) {
		pieces.push(text.slice(from, folded.position(hit)), inserted);
		from = folded.position(hit + oldText.length);
	}
	return { ok: true, text: pieces.join("") + text.slice(from), count: hits.length };
}

/** Left to right; a hit never begins inside the one before. */
function findAll(text: string, wanted: string): number[] {
	const hits: number[] = [];
	for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) hits.push(at);
	return hits;
}

/** `text` with `\n` for `\r\n`, and the way back from a position in it. */
function foldLineEnds(text: string): { text: string; position(folded: number): number } {
	const removed: number[] = [];
	for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) removed.push(at - removed.length);
	return {
		text: text.replaceAll("\r\n", "\n"),
		// A position at a folded line end is the one before its carriage return.
		position: (folded) => folded + countBelow(removed, folded),
	};
}

/** How many of the ascending `values` are less than `limit`. */
function countBelow(values: readonly number[], limit: number): number {
	let low = 0;
	let high = values.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((values[middle] ?? 0) < limit) low = middle + 1;
		else high = middle;
	}
	return low;
}

function lineNumbers(text: string, positions: readonly number[]): number[] {
	let line = 1;
	// Kept from hit to hit: a search for it from each of a million hits would read the text a million times.
	let end = text.indexOf("\n");
	return positions.map((position) => {
		for (; end >= 0 && end < position; end = text.indexOf("\n", end + 1)) line++;
		return line;
	});
}
