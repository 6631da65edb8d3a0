/** Replacing a text that a model remembers almost right: found by ever looser strategies, never written on a guess. */

import { closestLines, type Region } from "./closest-lines.ts";
import { applyEdits, type Edit, editsFor } from "./edits.ts";
import { driftedSequence, unescapeQuotes } from "./escapes.ts";
import { findMatches } from "./find-matches.ts";
import type { Matches, Strategy } from "./match.ts";
import { type NearBlocks, NearSearch } from "./near-blocks.ts";
import { lineSpans, trimmedWindows, type Wanted, wantedText } from "./strategies.ts";
import { TextLines } from "./text-lines.ts";
import { isBlank } from "./white-space.ts";

/** What to replace, and by what. */
export interface FuzzyRequest {
	readonly oldText: string;
	readonly newText: string;
	readonly replaceAll: boolean;
}

/** Lines, from 1, the last one included. */
export interface LineSpan {
	readonly startLine: number;
	readonly endLine: number;
}

/** The new text, and how the old one was found. */
export interface FuzzySuccess {
	readonly ok: true;
	readonly text: string;
	readonly count: number;
	readonly strategy: Strategy;
	/** How alike the found lines are to those asked for; 1 unless lines differ in their words. */
	readonly similarity: number;
	/** Left to right, in offsets of the searched text. */
	readonly edits: readonly Edit[];
	/** The lines of the searched text that gave way, one per edit. */
	readonly spans: readonly LineSpan[];
}

/** Why nothing was replaced. */
export type FuzzyFailure =
	| { readonly ok: false; readonly code: "empty_old" | "whitespace_old" | "identical" }
	/** `lines` are where the places begin, from 1. Without `closest` the text is really there, several times. */
	| {
			readonly ok: false;
			readonly code: "ambiguous";
			readonly lines: readonly number[];
			readonly closest?: readonly Region[];
	  }
	| { readonly ok: false; readonly code: "escape_drift"; readonly sequence: string }
	/** The old text is gone and the new one is at `line`. */
	| { readonly ok: false; readonly code: "already_applied"; readonly line: number }
	/** `isCutShort`: similar lines may be missing, the search for them had done its share of work. */
	| {
			readonly ok: false;
			readonly code: "not_found";
			readonly closest: readonly Region[];
			readonly isCutShort: boolean;
	  };

/** What came of a request. */
export type FuzzyReplaced = FuzzySuccess | FuzzyFailure;

/** A shorter new text may be anywhere by chance. */
const tellingCharacters = 12;

/** Replaces `oldText` in `text`, or says why not. Pure, and linear in the length of the text but for bounded work. */
export function fuzzyReplace(text: string, request: FuzzyRequest): FuzzyReplaced {
	const { oldText, newText } = request;
	if (oldText === "") return { ok: false, code: "empty_old" };
	if (oldText === newText) return { ok: false, code: "identical" };
	if (isBlank(oldText)) return { ok: false, code: "whitespace_old" };
	const searched = new TextLines(text);
	const wanted = wantedText(oldText);
	const matches = findMatches(searched, wanted);
	if (matches !== undefined) return replaced(searched, matches, request);
	return replacedNear(searched, wanted, request);
}

function replaced(searched: TextLines, matches: Matches, request: FuzzyRequest): FuzzyReplaced {
	const { text } = searched;
	if (matches.spans.length > 1 && !request.replaceAll) {
		const lines = matches.spans.map(({ start }) => searched.lineAt(start) + 1);
		return { ok: false, code: "ambiguous", lines };
	}
	if (matches.strategy !== "exact") {
		const found = matches.spans.map(({ start, end }) => text.slice(start, end)).join("\n");
		const sequence = driftedSequence(request.oldText, request.newText, found);
		if (sequence !== undefined) return { ok: false, code: "escape_drift", sequence };
	}
	const edits = editsFor(searched, matches, request);
	if (edits.every(({ start, end, replacement }) => text.slice(start, end) === replacement)) {
		return { ok: false, code: "already_applied", line: searched.lineAt(edits[0]?.start ?? 0) + 1 };
	}
	return {
		ok: true,
		text: applyEdits(text, edits),
		count: edits.length,
		strategy: matches.strategy,
		similarity: matches.similarity,
		edits,
		// Asked for by few, and it takes the line numbers of the whole text.
		get spans() {
			return edits.map((edit) => lineSpan(searched, edit));
		},
	};
}

/** The text is not there. Where it surely is meant, that place counts; else the failure shows what comes near. */
function replacedNear(searched: TextLines, wanted: Wanted, request: FuzzyRequest): FuzzyReplaced {
	const drifted = driftIn(searched, request);
	if (drifted !== undefined) return { ok: false, code: "escape_drift", sequence: drifted };
	const applied = appliedAt(searched, request);
	if (applied !== undefined) return { ok: false, code: "already_applied", line: applied };
	const near = new NearSearch(searched, wanted.lines);
	// Everything that looks alike must never be replaced at once.
	const blocks = request.replaceAll ? undefined : nearBlocks(near);
	if (blocks?.isSure) {
		const spans = lineSpans(searched, blocks.firsts, wanted.lines.length);
		return replaced(
			searched,
			{ strategy: blocks.strategy, similarity: blocks.similarity, spans, areLines: true },
			request,
		);
	}
	const closest = closestLines(searched, wanted.lines, near.likeness);
	if (blocks !== undefined && blocks.firsts.length > 1) {
		return { ok: false, code: "ambiguous", lines: blocks.firsts.map((first) => first + 1), closest };
	}
	return { ok: false, code: "not_found", closest, isCutShort: near.likeness.isExhausted };
}

/** What the two loose strategies say; the second is asked when the first is not sure of anything. */
export function nearBlocks(near: NearSearch): NearBlocks | undefined {
	const anchored = near.byAnchors();
	return anchored?.isSure || (anchored?.firsts.length ?? 0) > 1 ? anchored : near.byLines();
}

/** The text is there without the backslashes that old and new text have before their quotes. */
function driftIn(searched: TextLines, { oldText, newText }: FuzzyRequest): string | undefined {
	const unescaped = unescapeQuotes(oldText);
	if (unescaped === oldText) return undefined;
	const sequence = driftedSequence(oldText, newText, "");
	if (sequence === undefined) return undefined;
	return findMatches(searched, wantedText(unescaped)) === undefined ? undefined : sequence;
}

/** The line at which the new text stands already, in whole lines and only there. */
function appliedAt(searched: TextLines, { newText }: FuzzyRequest): number | undefined {
	if (newText.replace(/\s/g, "").length < tellingCharacters) return undefined;
	const [first, second] = trimmedWindows(searched, wantedText(newText));
	return first === undefined || second !== undefined ? undefined : first + 1;
}

function lineSpan(searched: TextLines, { start, end }: Edit): LineSpan {
	const startLine = searched.lineAt(start) + 1;
	// A span that ends in a line feed ends on the line of that feed.
	return { startLine, endLine: Math.max(startLine, searched.lineAt(end > start ? end - 1 : end) + 1) };
}
