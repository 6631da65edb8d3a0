/** One file through the hunks of an update. */

import { type IndentPair, indentPairs, reindent } from "../fuzzy/indent-map.ts";
import { closeDocument, type Document, openDocument } from "./document.ts";
import type { Hunk, Problem, Update } from "./operations.ts";
import { placeHunk } from "./place-hunk.ts";

/** `done` counts the hunks that had been applied before. */
export type Applied =
	| { readonly ok: true; readonly text: string; readonly done: number }
	| { readonly ok: false; readonly problems: readonly Problem[] };

/** `text` with all hunks of `update`; every hunk that has no place is a problem. */
export function applyHunks(text: string, update: Update): Applied {
	const document = openDocument(text, update.isVerbatim === true);
	const problems: Problem[] = [];
	let [after, grown, done] = [0, 0, 0];
	for (const hunk of update.hunks) {
		const placed = placeHunk({ lines: document.lines, after, grown }, hunk);
		if (!placed.ok) {
			const message = `"${update.path}": ${placed.message}`;
			problems.push({ code: placed.code, lineNumber: hunk.lineNumber, message });
			continue;
		}
		const kept = hunk.lines.filter(({ kind }) => kind !== "removed").length;
		if (placed.isDone) done++;
		else grown += change(document, hunk, placed);
		after = placed.at + kept;
	}
	return problems.length > 0 ? { ok: false, problems } : { ok: true, text: closeDocument(document), done };
}

/** Puts the hunk in its place and returns how many lines came to be. */
function change(document: Document, hunk: Hunk, { at, isExact }: { at: number; isExact: boolean }): number {
	const { lines, ends, mostly } = document;
	const old = hunk.lines.filter(({ kind }) => kind !== "added").map(({ text }) => text);
	const pairs = isExact ? [] : indentPairs(old, lines.slice(at, at + old.length));
	const wasOpen = ends.at(-1) === "";
	const put = linesOf(document, hunk, { at, pairs });
	if (at > 0 && ends[at - 1] === "") ends[at - 1] = mostly;
	lines.splice(at, old.length, ...put.map(({ line }) => line));
	ends.splice(at, old.length, ...put.map(({ end }) => end));
	const reachesEnd = at + put.length === lines.length && lines.length > 0;
	// What is appended to a file ends in a line feed.
	if (reachesEnd)
		ends[ends.length - 1] = (hunk.leavesOpenEnd ?? (wasOpen && old.length > 0)) ? "" : ends.at(-1) || mostly;
	return put.length - old.length;
}

/** Context stays as it is in the file; added lines come in its indents and line ends. */
function linesOf(
	{ lines, ends, mostly }: Document,
	hunk: Hunk,
	{ at, pairs }: { readonly at: number; readonly pairs: readonly IndentPair[] },
): { line: string; end: string }[] {
	let from = at;
	return hunk.lines.flatMap(({ kind, text }) => {
		if (kind === "added") return [{ line: reindent(text, pairs), end: mostly }];
		const here = from++;
		return kind === "removed" ? [] : [{ line: lines[here] ?? "", end: ends[here] || mostly }];
	});
}
