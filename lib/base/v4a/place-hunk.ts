/** Where a hunk belongs in a file: the one place of its lines, or the one that hints and earlier hunks point to. */

import { closestLines, showRegions } from "../fuzzy/closest-lines.ts";
import { nearBlocks } from "../fuzzy/fuzzy-replace.ts";
import { NearSearch } from "../fuzzy/near-blocks.ts";
import { foldedWindows, plainWindows, trimmedWindows } from "../fuzzy/strategies.ts";
import { TextLines } from "../fuzzy/text-lines.ts";
import { strip } from "../fuzzy/white-space.ts";
import { findWindows } from "../fuzzy/windows.ts";
import type { Hunk } from "./operations.ts";

/** `at` is the first line, from 0. `isDone`: the lines of the new text stand there already. */
export type Placed =
	| { readonly ok: true; readonly at: number; readonly isExact: boolean; readonly isDone?: boolean }
	| { readonly ok: false; readonly code: string; readonly message: string };

/** What is known of the file when a hunk is placed. */
export interface Place {
	/** As earlier hunks left them. */
	readonly lines: readonly string[];
	/** The line behind the hunk before. */
	readonly after: number;
	/** How many lines earlier hunks added. */
	readonly grown: number;
}

/** New lines that are shorter may be anywhere by chance. */
const tellingCharacters = 12;
const mostNamed = 20;

/** The place of `hunk`, or why there is none. */
export function placeHunk(place: Place, hunk: Hunk): Placed {
	const old = hunk.lines.filter(({ kind }) => kind !== "added").map(({ text }) => text);
	if (old.length === 0) return placeAddition(place, hunk);
	const exact = findWindows(place.lines, old);
	if (exact.length > 0) return chosen(place, hunk, { firsts: exact, count: old.length, isExact: true });
	const done = doneAt(place, hunk);
	if (done !== undefined) return { ok: true, at: done, isExact: true, isDone: true };
	return placeLoosely(place, hunk, old);
}

function placeLoosely(place: Place, hunk: Hunk, old: readonly string[]): Placed {
	const text = new TextLines(place.lines.join("\n"));
	const wanted = { text: old.join("\n"), lines: old };
	for (const windows of [trimmedWindows, foldedWindows, plainWindows]) {
		const firsts = windows(text, wanted);
		if (firsts.length > 0) return chosen(place, hunk, { firsts, count: old.length, isExact: false });
	}
	const near = new NearSearch(text, old);
	const blocks = nearBlocks(near);
	const [only] = blocks?.firsts ?? [];
	if (blocks?.isSure && only !== undefined) return { ok: true, at: only, isExact: false };
	const closest = showRegions(closestLines(text, old, near.likeness));
	const advice = closest === "" ? "" : `; closest lines:\n${closest}`;
	return { ok: false, code: "hunk_not_found", message: `its lines are not in the file${advice}` };
}

interface Candidates {
	readonly firsts: readonly number[];
	readonly count: number;
	readonly isExact: boolean;
}

function chosen(place: Place, hunk: Hunk, { firsts, count, isExact }: Candidates): Placed {
	const at = choose(place, hunk, { firsts, count });
	if (at !== undefined) return { ok: true, at, isExact };
	const lines = firsts.slice(0, mostNamed).map((first) => first + 1);
	const message = `its lines are there ${firsts.length} times, at lines ${lines.join(", ")}; add lines around them, or "@@ a line before them"`;
	return { ok: false, code: "hunk_ambiguous", message };
}

function choose(place: Place, hunk: Hunk, { firsts, count }: Omit<Candidates, "isExact">): number | undefined {
	const last = firsts.at(-1);
	if (hunk.isAtEnd && last !== undefined && last + count === place.lines.length) return last;
	if (firsts.length === 1) return firsts[0];
	if (hunk.nearLine !== undefined) {
		const near = hunk.nearLine - 1 + place.grown;
		return firsts.toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near))[0];
	}
	const hinted = hintedLines(place, hunk.hints);
	// The hint may be the first of the lines themselves.
	if (hinted.length === 1) return firsts.find((first) => first + count > (hinted[0] ?? 0));
	const behind = firsts.filter((first) => first >= place.after);
	return behind.length === 1 && place.after > 0 ? behind[0] : undefined;
}

/** Lines without any context: behind the line that the hint names, or at the end. */
function placeAddition(place: Place, hunk: Hunk): Placed {
	if (hunk.nearLine !== undefined) {
		const at = Math.min(hunk.nearLine + place.grown, place.lines.length);
		return { ok: true, at, isExact: true };
	}
	if (hunk.hints.length === 0) return { ok: true, at: place.lines.length, isExact: true };
	const hinted = hintedLines(place, hunk.hints);
	const [only] = hinted;
	const hint = JSON.stringify(hunk.hints.at(-1));
	if (only === undefined)
		return { ok: false, code: "context_not_found", message: `the line ${hint} is not in the file` };
	if (hinted.length === 1) return { ok: true, at: only + 1, isExact: true };
	const message = `the line ${hint} is there ${hinted.length} times; show lines around the place instead`;
	return { ok: false, code: "context_ambiguous", message };
}

/** Lines that the last hint names, behind those of the hints before it: equal ones, else such as begin so, else such as hold it. */
function hintedLines({ lines, after }: Place, hints: readonly string[]): number[] {
	let from = 0;
	let found: number[] = [];
	for (const [index, hint] of hints.entries()) {
		const named = linesLike(lines, hint, from);
		const behind = named.filter((line) => line >= after);
		found = named.length > 1 && behind.length === 1 ? behind : named;
		// Below a line that is known, the next one counts.
		if (index > 0) found = found.slice(0, 1);
		const [first] = found;
		if (first === undefined || (found.length > 1 && index < hints.length - 1)) return found;
		from = first + 1;
	}
	return found;
}

function linesLike(lines: readonly string[], hint: string, from: number): number[] {
	const fits = [
		(line: string) => line === hint,
		(line: string) => line.startsWith(hint),
		(line: string) => line.includes(hint),
	];
	for (const fit of fits) {
		const found: number[] = [];
		for (let at = from; at < lines.length; at++) {
			const line = lines[at] ?? "";
			if (line.includes(hint) && fit(strip(line))) found.push(at);
		}
		if (found.length > 0) return found;
	}
	return [];
}

/** Where the new lines stand already, and nowhere else. */
function doneAt({ lines }: Place, hunk: Hunk): number | undefined {
	const isChange = hunk.lines.some(({ kind }) => kind !== "context");
	const put = hunk.lines.filter(({ kind }) => kind !== "removed").map(({ text }) => text);
	if (!isChange || put.join("").replace(/\s/g, "").length < tellingCharacters) return undefined;
	const [first, second] = findWindows(lines, put);
	return second === undefined ? first : undefined;
}
