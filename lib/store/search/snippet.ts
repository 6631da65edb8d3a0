/** The piece of a message that shows why it was found. */

import { isUnspaced } from "../unspaced.ts";
import type { Term } from "./query.ts";

/** Words around what was found, and characters where words are not told apart. */
const wordsShown = 40;
const charactersShown = 300;

interface Span {
	readonly start: number;
	readonly end: number;
	readonly term: number;
}

/** About 40 words on one line, with `>>>` and `<<<` around everything that was looked for, `…` where text was left out. */
export function snippetOf(text: string, terms: readonly Term[]): string {
	const line = text.replace(/[\s\0]+/g, " ").trim();
	const spans = spansOf(line, terms);
	const window = windowOf(line, bestStart(spans));
	const shown = spans.filter(({ start, end }) => start >= window.start && end <= window.end);
	let at = window.start;
	let snippet = window.start > 0 ? "…" : "";
	for (const { start, end } of shown) {
		snippet += `${line.slice(at, start)}>>>${line.slice(start, end)}<<<`;
		at = end;
	}
	return snippet + line.slice(at, window.end) + (window.end < line.length ? "…" : "");
}

/** Where the terms stand, from left to right, none inside another. */
function spansOf(line: string, terms: readonly Term[]): readonly Span[] {
	const folded = folding(line);
	const found = terms.flatMap((term, index) => {
		const pattern = patternOf(term);
		if (pattern === undefined) return [];
		return [...folded.matchAll(pattern)].map(({ index: start, 0: text }) => ({
			start,
			end: start + text.length,
			term: index,
		}));
	});
	found.sort((one, other) => one.start - other.start || other.end - one.end);
	const spans: Span[] = [];
	for (const span of found) if (span.start >= (spans.at(-1)?.end ?? 0)) spans.push(span);
	return spans;
}

/** Letters without accents, in small; every character stays where it was. */
function folding(text: string): string {
	return text.replace(/[\u0041-\u005a\u0080-\uffff]/g, (letter) => {
		const bare = letter.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
		return bare.length === 1 ? bare : letter;
	});
}

function patternOf({ text, form, by }: Term): RegExp | undefined {
	const folded = folding(text.normalize("NFC"));
	if (by === "letters") return new RegExp(RegExp.escape(folded), "giu");
	const words = folded.match(/[\p{L}\p{N}\p{M}]+/gu);
	if (words === null) return undefined;
	const end = form === "prefix" ? "[\\p{L}\\p{N}\\p{M}]*" : "(?![\\p{L}\\p{N}])";
	return new RegExp(`(?<![\\p{L}\\p{N}])${words.map(RegExp.escape).join("[^\\p{L}\\p{N}]+")}${end}`, "giu");
}

/** The place from which most of the terms are in sight. */
function bestStart(spans: readonly Span[]): number {
	let best = { start: spans[0]?.start ?? 0, terms: 0 };
	for (const [index, { start }] of spans.entries()) {
		const near = new Set<number>();
		for (const span of spans.slice(index, index + wordsShown))
			if (span.end <= start + charactersShown / 2) near.add(span.term);
		if (near.size > best.terms) best = { start, terms: near.size };
	}
	return best.start;
}

/** From a little before `from` to a little after it, between words where there are words. */
function windowOf(line: string, from: number): { readonly start: number; readonly end: number } {
	if (isUnspaced(line.slice(from, from + charactersShown))) {
		const start = Math.max(0, from - 40);
		return {
			start: start === 0 ? 0 : afterHalfPair(line, start),
			end: Math.min(line.length, start + charactersShown / 2),
		};
	}
	const before = line
		.slice(Math.max(0, from - charactersShown), from)
		.split(" ")
		.slice(-11)
		.join(" ");
	const start = from - before.length;
	const end =
		start +
		line
			.slice(start, start + 2 * charactersShown)
			.split(" ")
			.slice(0, wordsShown)
			.join(" ").length;
	return { start, end };
}

function afterHalfPair(line: string, at: number): number {
	return /[\udc00-\udfff]/.test(line.charAt(at)) ? at + 1 : at;
}
