/** From places that were found to what is put there: in the indents, escapes and typography of the file. */

import { escapedLetters, restoreCarriageReturns, unescapeAlike } from "./escapes.ts";
import { indentPairs, reindent } from "./indent-map.ts";
import type { Matches, Span } from "./match.ts";
import { wantedText } from "./strategies.ts";
import type { TextLines } from "./text-lines.ts";
import { plainText, toPlain } from "./typography.ts";
import { isBlank } from "./white-space.ts";

/** One replacement; offsets are those of the searched text. */
export interface Edit extends Span {
	readonly replacement: string;
}

/** What was asked for. */
export interface Change {
	readonly oldText: string;
	readonly newText: string;
}

/** One edit per place of `matches`. */
export function editsFor(text: TextLines, matches: Matches, change: Change): Edit[] {
	return matches.spans.map((span) => editAt(text, { ...matches, spans: [span] }, change));
}

/** `text` with all of `edits` made, which are in order and do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
	// Slices and sums share the memory of the text; joining an array would copy it.
	let changed = "";
	let from = 0;
	for (const { start, end, replacement } of edits) {
		changed += text.slice(from, start) + replacement;
		from = end;
	}
	return changed + text.slice(from);
}

function editAt(text: TextLines, matches: Matches, change: Change): Edit {
	const span = matches.spans[0] ?? { start: 0, end: 0 };
	const found = text.text.slice(span.start, span.end);
	if (matches.strategy === "exact") return { ...span, replacement: restoreCarriageReturns(change.newText, found) };
	if (matches.strategy === "escape_normalized") {
		const unescaped = unescapeAlike(change.newText, escapedLetters(change.oldText));
		return { ...span, replacement: text.text.includes("\r\n") ? unescaped : unescaped.replaceAll("\r\n", "\n") };
	}
	if (matches.areLines) return linesEdit(text, matches, change);
	return matches.strategy === "unicode_normalized"
		? plainEdit(text, span, change)
		: { ...span, replacement: reindentedAt(text, span, change) };
}

/** Whole lines give way to whole lines. Where the lines of the file differ in words or signs, equal ones at both ends stay. */
function linesEdit(text: TextLines, { spans, strategy }: Matches, change: Change): Edit {
	const first = text.lineAt(spans[0]?.start ?? 0);
	const asked = wantedText(change.oldText).lines;
	const newLines = newLinesOf(change);
	const pairs = indentPairs(asked, text.lines.slice(first, first + asked.length));
	const keepsEnds = strategy !== "line_trimmed" && strategy !== "indentation_flexible";
	const kept = keepsEnds ? equalEnds(asked, newLines) : { head: 0, tail: 0 };
	const put = newLines.slice(kept.head, newLines.length - kept.tail);
	const lines = put.length === 0 ? put : reindent(put.join("\n"), pairs).split("\n");
	return replaceLines(text, { from: first + kept.head, to: first + asked.length - kept.tail }, lines);
}

/** The line feed at the end of the old text is none of its lines, and so is the one of the new text then. */
function newLinesOf({ oldText, newText }: Change): string[] {
	if (newText === "") return [];
	return (oldText.endsWith("\n") ? newText.replace(/\n$/, "") : newText).split("\n");
}

/** How many lines the two lists have in common at their beginnings and at their ends. */
function equalEnds(left: readonly string[], right: readonly string[]): { head: number; tail: number } {
	const most = Math.min(left.length, right.length);
	let head = 0;
	while (head < most && left[head] === right[head]) head++;
	let tail = 0;
	while (tail < most - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
	return { head, tail };
}

/** The edit that puts `lines` in the place of the lines `from` up to `to`; without lines their line feeds go too. */
function replaceLines(
	text: TextLines,
	{ from, to }: { readonly from: number; readonly to: number },
	lines: readonly string[],
): Edit {
	const isPastEnd = from >= text.lines.length;
	if (from === to) {
		const at = text.startOf(from);
		return { start: at, end: at, replacement: isPastEnd ? `\n${lines.join("\n")}` : `${lines.join("\n")}\n` };
	}
	const [start, end] = [text.startOf(from), text.endOf(to - 1)];
	if (lines.length > 0) return { start, end, replacement: lines.join("\n") };
	return { start, end: Math.min(end + 1, text.text.length), replacement: "" };
}

/**
 * Only what really changes is put in, so that quotes and dashes around it stay as they are. Blanks that do not break are
 * rarely meant, and the text that was asked for replaces them.
 */
function plainEdit(text: TextLines, span: Span, { oldText, newText }: Change): Edit {
	const original = text.text.slice(span.start, span.end);
	const found = plainText(original);
	const put = plainText(newText);
	const asked = toPlain(oldText);
	const firstBlank = original.indexOf("\u00a0");
	const lastBlank = original.lastIndexOf("\u00a0");
	let { head, tail } = equalEnds(asked.split(""), put.text.split(""));
	const canKeepHead = (length: number) => {
		const at = found.original(length);
		return at !== undefined && put.original(length) !== undefined && (firstBlank < 0 || at <= firstBlank);
	};
	const canKeepTail = (length: number) => {
		const at = found.original(asked.length - length);
		return at !== undefined && put.original(put.text.length - length) !== undefined && at > lastBlank;
	};
	while (head > 0 && !canKeepHead(head)) head--;
	while (tail > 0 && !canKeepTail(tail)) tail--;
	return {
		start: span.start + (found.original(head) ?? 0),
		end: span.start + (found.original(asked.length - tail) ?? original.length),
		replacement: newText.slice(put.original(head) ?? 0, put.original(put.text.length - tail) ?? newText.length),
	};
}

/** The new text in the indents of a place that may begin in the middle of a line. */
function reindentedAt(text: TextLines, span: Span, { oldText, newText }: Change): string {
	const before = text.text.slice(text.text.lastIndexOf("\n", span.start - 1) + 1, span.start);
	const asked = oldText.split("\n");
	const found = text.text.slice(span.start, span.end).split("\n");
	if (!isBlank(before)) {
		const [head = "", ...rest] = newText.split("\n");
		const pairs = indentPairs(asked.slice(1), found.slice(1));
		return rest.length === 0 ? head : `${head}\n${reindent(rest.join("\n"), pairs)}`;
	}
	const indented = reindent(newText, indentPairs(asked, [before + (found[0] ?? ""), ...found.slice(1)]));
	return indented.startsWith(before) ? indented.slice(before.length) : indented;
}
