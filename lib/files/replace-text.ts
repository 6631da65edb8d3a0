/** Replacing a text in a file whose line ends and byte order mark may differ from what was asked for. */

import { applyEdits, type Edit } from "../base/fuzzy/edits.ts";
import { type FuzzyFailure, type FuzzyRequest, type FuzzySuccess, fuzzyReplace } from "../base/fuzzy/fuzzy-replace.ts";
import { byteOrderMark, lineEndOf, withLineEnds } from "./text.ts";

/** The whole new text; the rest says what was found where. */
export type Replaced =
	| (Pick<FuzzySuccess, "ok" | "text" | "count" | "strategy" | "similarity" | "spans"> & {
			/** The parts of the old text that gave way, in its order. */
			readonly replaced: readonly string[];
	  })
	| FuzzyFailure;

/**
 * Line ends do not count when looking for `oldText`; what is put in gets the line ends of the file; everything else of
 * `text` stays as it is, byte for byte.
 */
export function replaceText(text: string, request: FuzzyRequest): Replaced {
	const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
	const folded = foldLineEnds(text.slice(mark.length));
	const result = fuzzyReplace(folded.text, {
		...request,
		oldText: withLineEnds(request.oldText, "\n"),
		newText: withLineEnds(request.newText, "\n"),
	});
	if (!result.ok) return result;
	const lineEnd = lineEndOf(text);
	const edits = result.edits.map(
		({ start, end, replacement }): Edit => ({
			start: mark.length + folded.position(start),
			end: mark.length + folded.position(end),
			replacement: withLineEnds(replacement, lineEnd),
		}),
	);
	return {
		ok: true,
		text: applyEdits(text, edits),
		count: result.count,
		strategy: result.strategy,
		similarity: result.similarity,
		spans: result.spans,
		replaced: edits.map(({ start, end }) => text.slice(start, end)),
	};
}

/** `text` with `\n` for `\r\n`, and the way back from a position in it. */
function foldLineEnds(text: string): { text: string; position(folded: number): number } {
	const removed: number[] = [];
	for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) removed.push(at - removed.length);
	return {
		text: removed.length === 0 ? text : text.replaceAll("\r\n", "\n"),
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
