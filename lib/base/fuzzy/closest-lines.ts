/** What stands where a text was looked for in vain: the lines that resemble its first line most. */

import { type Likeness, Profiles } from "./likeness.ts";
import type { TextLines } from "./text-lines.ts";
import { isBlank, strip } from "./white-space.ts";

/** Some lines of the searched text. */
export interface Region {
	/** From 1. */
	readonly firstLine: number;
	readonly lines: readonly string[];
}

const mostRegions = 3;
const alikeFrom = 0.3;
/** Lines that are really compared: those that can be most alike. */
const mostCompared = 150;
const around = 2;
/** Lines of one region that are shown. */
const longestRegion = 40;

/** At most 3 regions, best first, each once. */
export function closestLines(text: TextLines, wanted: readonly string[], likeness: Likeness): Region[] {
	const first = wanted.findIndex((line) => !isBlank(line));
	const anchor = strip(wanted[first] ?? "");
	const boundOf = new Profiles(text.stripped).boundsOf(anchor, alikeFrom);
	const scored = text.stripped
		.flatMap((line, index) => (line === "" ? [] : [{ line, index, bound: boundOf(index) }]))
		.filter(({ bound }) => bound > 0)
		.sort((a, b) => b.bound - a.bound)
		.slice(0, mostCompared)
		.map(({ line, index }) => ({ index, score: likeness.ratio(anchor, line) }))
		.filter(({ score }) => score > alikeFrom)
		.sort((a, b) => b.score - a.score || a.index - b.index);
	const regions = new Map<number, Region>();
	for (const { index } of scored.slice(0, mostRegions)) {
		const from = Math.max(0, index - first - around);
		const to = index - first + Math.min(wanted.length, longestRegion) + around;
		regions.set(from, { firstLine: from + 1, lines: linesBetween(text, from, to) });
	}
	return [...regions.values()];
}

/** `N| text` lines of all regions, with a rule between them. */
export function showRegions(regions: readonly Region[]): string {
	const shown = regions.map(({ firstLine, lines }) =>
		lines.map((line, index) => `${String(firstLine + index).padStart(4)}| ${line}`).join("\n"),
	);
	return shown.join("\n---\n");
}

function linesBetween(text: TextLines, from: number, to: number): readonly string[] {
	const endsInFeed = text.lines.at(-1) === "";
	return text.lines.slice(from, Math.min(to, text.lines.length - (endsInFeed ? 1 : 0)));
}
