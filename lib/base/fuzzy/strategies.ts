/** The strategies that find a text which is there, but for blanks, indents, escapes or typography. */

import { escapedLetters, unescapeText } from "./escapes.ts";
import type { Span } from "./match.ts";
import { TextLines } from "./text-lines.ts";
import { plainText, toPlain } from "./typography.ts";
import { isBlank, strip } from "./white-space.ts";
import { findWindows } from "./windows.ts";

/** More places than this are not looked at one by one. */
const mostPlaces = 500;

/** The text looked for: as it is, and without the line feed at its end, which is no line of its own. */
export interface Wanted {
	readonly text: string;
	readonly lines: readonly string[];
}

/** What `text` asks for. */
export function wantedText(text: string): Wanted {
	return { text, lines: text.replace(/\n$/, "").split("\n") };
}

/** Hits do not overlap, and none begins or ends inside a surrogate pair. */
export function findExact(text: string, wanted: string): Span[] {
	const spans: Span[] = [];
	if (wanted === "") return spans;
	for (let at = text.indexOf(wanted); at >= 0; ) {
		const end = at + wanted.length;
		const isWhole = !cutsPair(text, at) && !cutsPair(text, end);
		if (isWhole) spans.push({ start: at, end });
		at = text.indexOf(wanted, isWhole ? end : at + 1);
	}
	return spans;
}

/** First lines (from 0) of the places whose lines are those wanted once both sides are stripped. */
export function trimmedWindows(text: TextLines, { lines }: Wanted): number[] {
	return windowsBy(text, lines.map(strip), strip);
}

/** The text with every run of blanks and tabs as one blank, anywhere in a line. */
export function findFolded(text: TextLines, { text: wanted }: Wanted): Span[] {
	const foldedText = foldBlanks(text.text);
	const hits = findExact(foldedText, foldBlanks(wanted));
	if (hits.length === 0) return [];
	const folded = new TextLines(foldedText);
	return hits.map(({ start, end }) => ({
		start: unfold(text, folded, start).start,
		// Blanks that follow belong to the place only when the wanted text ends in some.
		end: unfold(text, folded, end - 1).end,
	}));
}

/** First lines of the places whose lines are those wanted, but for indents and the width of blanks. */
export function foldedWindows(text: TextLines, { lines }: Wanted): number[] {
	const fold = (line: string) => strip(foldBlanks(line));
	return windowsBy(text, lines.map(fold), fold);
}

/** The text once `\n`, `\t` and `\r` in what was asked for are the characters they stand for. */
export function findUnescaped(text: TextLines, { text: wanted }: Wanted): Span[] {
	if (escapedLetters(wanted) === "") return [];
	const unescaped = unescapedFor(text, wanted);
	return isBlank(unescaped) ? [] : findExact(text.text, unescaped);
}

/** `wanted` unescaped, its line ends as those of `text`. */
function unescapedFor({ text }: TextLines, wanted: string): string {
	const unescaped = unescapeText(wanted);
	return text.includes("\r\n") ? unescaped : unescaped.replaceAll("\r\n", "\n");
}

/** First lines of the places that differ from what is wanted at the ends of the first and the last line only. */
export function trimmedEndWindows(text: TextLines, wanted: Wanted): number[] {
	const inner = wanted.lines.slice(1, -1);
	const isEqualInside = (first: number) => inner.every((line, index) => line === text.lines[first + 1 + index]);
	return trimmedWindows(text, wanted).filter(isEqualInside);
}

/** The text once quotes, dashes, dots and blanks are plain ones on both sides. */
export function findPlain(text: TextLines, { text: wanted }: Wanted): Span[] {
	const hits = findExact(text.plain, toPlain(wanted));
	if (hits.length === 0) return [];
	const { original } = plainText(text.text);
	return hits.flatMap(({ start, end }) => {
		const [from, to] = [original(start), original(end)];
		return from === undefined || to === undefined ? [] : [{ start: from, end: to }];
	});
}

/** First lines of the places whose lines are those wanted once both sides are plain and stripped. */
export function plainWindows(text: TextLines, { text: wanted }: Wanted): number[] {
	// The lines of the plain text are those of the text.
	return trimmedWindows(new TextLines(text.plain), wantedText(toPlain(wanted)));
}

/** Whether plain characters make a difference. */
export function hasTypography({ text, plain }: TextLines, { text: wanted }: Wanted): boolean {
	return toPlain(wanted) !== wanted || plain !== text;
}

/** Spans of `count` lines from each of `firsts` on. */
export function lineSpans(text: TextLines, firsts: readonly number[], count: number): Span[] {
	return firsts.map((first) => ({ start: text.startOf(first), end: text.endOf(first + count - 1) }));
}

/** Where all of `wanted` follows once every line has gone through `fold`, which only takes blanks away or narrows them. */
function windowsBy(text: TextLines, wanted: readonly string[], fold: (line: string) => string): number[] {
	const { word, index } = tellingWord(wanted);
	if (word === "") return [];
	const firsts = new Set<number>();
	for (let at = text.text.indexOf(word); at >= 0; at = text.text.indexOf(word, at + word.length)) {
		firsts.add(text.lineAt(at) - index);
		// So many places are found sooner by walking once over everything.
		if (firsts.size > mostPlaces) return findWindows(text.lines.map(fold), wanted);
	}
	let free = 0;
	return [...firsts].filter((first) => {
		if (first < free || first + wanted.length > text.lines.length) return false;
		if (!wanted.every((line, offset) => fold(text.lines[first + offset] ?? "") === line)) return false;
		free = first + wanted.length;
		return true;
	});
}

/** The longest stretch without blanks, and the line it is in: it says most about whether there is anything to find. */
function tellingWord(lines: readonly string[]): { word: string; index: number } {
	let best = { word: "", index: 0 };
	for (const [index, line] of lines.entries()) {
		for (const word of line.split(/\s+/)) if (word.length > best.word.length) best = { word, index };
	}
	return best;
}

function foldBlanks(text: string): string {
	// Single blanks are most, and need no work.
	return text.replace(/[ \t]{2,}|\t/g, " ");
}

/** What the folded character at `offset` stands for. Both texts have the same lines, so only one of them is walked. */
function unfold(text: TextLines, folded: TextLines, offset: number): Span {
	const line = folded.lineAt(offset);
	let at = text.startOf(line);
	let end = endOfRun(text.text, at);
	for (let left = offset - folded.startOf(line); left > 0; left--) {
		at = end;
		end = endOfRun(text.text, at);
	}
	return { start: at, end };
}

/** Behind the run of blanks that begins at `at`, or behind the one character there. */
function endOfRun(text: string, at: number): number {
	let end = at;
	while (text[end] === " " || text[end] === "\t") end++;
	return end > at ? end : at + 1;
}

function cutsPair(text: string, at: number): boolean {
	const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
	return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
