/** Unified diffs, as `diff -u` writes them. */

import { type Change, editScript } from "./edit-script.ts";

/** Unchanged lines shown around a change. */
const context = 3;

interface NumberedChange extends Change {
	/** Line numbers that this change stands at in the two texts, from 1. */
	readonly before: number;
	readonly after: number;
}

/** How the file `name` went from `before` to `after`; empty when they are the same. */
export function unifiedDiff(name: string, before: string, after: string): string {
	const changes = numbered(editScript(linesOf(before), linesOf(after)));
	const hunks = hunksOf(changes);
	if (hunks.length === 0) return "";
	const label = name.replace(/^\//, "");
	return [`--- a/${label}`, `+++ b/${label}`, ...hunks.flatMap(hunkLines)].join("\n");
}

/** Lines with their ends, so that a missing last line end is a difference. */
function linesOf(text: string): string[] {
	return text === "" ? [] : text.split(/(?<=\n)/);
}

function numbered(changes: readonly Change[]): NumberedChange[] {
	let before = 1;
	let after = 1;
	return changes.map((change) => {
		const here = { ...change, before, after };
		if (change.kind !== "added") before++;
		if (change.kind !== "removed") after++;
		return here;
	});
}

function hunksOf(changes: readonly NumberedChange[]): NumberedChange[][] {
	const ranges: { from: number; to: number }[] = [];
	for (const [index, change] of changes.entries()) {
		if (change.kind === "same") continue;
		const last = ranges.at(-1);
		const to = Math.min(index + context + 1, changes.length);
		if (last !== undefined && index - context <= last.to) last.to = to;
		else ranges.push({ from: Math.max(index - context, 0), to });
	}
	return ranges.map(({ from, to }) => changes.slice(from, to));
}

function hunkLines(hunk: readonly NumberedChange[]): string[] {
	const removed = hunk.filter(({ kind }) => kind !== "added").length;
	const added = hunk.filter(({ kind }) => kind !== "removed").length;
	const first = hunk[0] ?? { before: 1, after: 1 };
	// A side without lines is named by the line before it.
	const range = (start: number, count: number) => `${count === 0 ? start - 1 : start}${count === 1 ? "" : `,${count}`}`;
	return [`@@ -${range(first.before, removed)} +${range(first.after, added)} @@`, ...hunk.flatMap(changeLines)];
}

function changeLines({ kind, line }: Change): string[] {
	const sign = { same: " ", removed: "-", added: "+" }[kind];
	const text = sign + line.replace(/\r?\n$/, "");
	return line.endsWith("\n") ? [text] : [text, "\\ No newline at end of file"];
}
