/** From the indents of the text that was asked for to those of the file, learnt from the lines that matched. */

import { indentOf, isBlank } from "./white-space.ts";

/** The indents of one matched line: as it was asked for, and in the file. */
export interface IndentPair {
	readonly asked: string;
	readonly found: string;
}

/** A wider step of the file is as often a continuation as a level, and says nothing about its unit. */
const widestUnit = 4;

/** The indents of lines that match each other one by one; blank lines have none. */
export function indentPairs(asked: readonly string[], found: readonly string[]): IndentPair[] {
	return asked.flatMap((line, index) => {
		const other = found[index] ?? "";
		return isBlank(line) || isBlank(other) ? [] : [{ asked: indentOf(line), found: indentOf(other) }];
	});
}

/** `text`, written in the indents that were asked for, in those of the file. Blank lines stay as they are. */
export function reindent(text: string, pairs: readonly IndentPair[]): string {
	const translate = translator(pairs);
	if (translate === undefined) return text;
	return text
		.split("\n")
		.map((line) => {
			if (isBlank(line)) return line;
			const indent = indentOf(line);
			return translate(indent) + line.slice(indent.length);
		})
		.join("\n");
}

/** Undefined when nothing has to change. */
function translator(pairs: readonly IndentPair[]): ((indent: string) => string) | undefined {
	const [base] = pairs;
	if (base === undefined || pairs.every(({ asked, found }) => asked === found)) return undefined;
	const swapBase = (indent: string) =>
		indent.startsWith(base.asked) ? base.found + indent.slice(base.asked.length) : base.found;
	const known = new Map(pairs.map(({ asked, found }) => [asked, found]));
	const isShift = pairs.every(({ asked, found }) => asked.startsWith(base.asked) && swapBase(asked) === found);
	const contradict = pairs.some(({ asked, found }) => known.get(asked) !== found);
	if (isShift || contradict || !isTelling(known)) return swapBase;
	return (indent) => known.get(indent) ?? extended(indent, known) ?? swapBase(indent);
}

/** Whether the pairs say how wide a level is on both sides: a step of one blank is a folded one. */
function isTelling(known: ReadonlyMap<string, string>): boolean {
	const [asked, found] = [unitOf(known.keys()), unitOf(known.values())];
	if (asked.includes("\t") || found.includes("\t") || asked === "" || found === "") return true;
	return asked.length > 1 && (found.length <= widestUnit || found.length <= asked.length);
}

/** The deepest known indent that `indent` goes on from, and the rest in units of the file. */
function extended(indent: string, known: ReadonlyMap<string, string>): string | undefined {
	const begun = [...known.keys()].filter((asked) => indent.startsWith(asked)).sort((a, b) => b.length - a.length)[0];
	if (begun === undefined) return undefined;
	const rest = indent.slice(begun.length);
	const [asked, found] = [unitOf(known.keys()), unitOf(known.values())];
	const levels = asked === "" ? 0 : rest.length / asked.length;
	const isWhole = Number.isInteger(levels) && asked.repeat(levels) === rest && found !== "";
	return (known.get(begun) ?? "") + (isWhole ? found.repeat(levels) : rest);
}

/** The smallest step between two of the indents that begin each other; empty when all are the same. */
function unitOf(indents: Iterable<string>): string {
	const sorted = [...new Set(indents)].sort((a, b) => a.length - b.length);
	const steps = sorted.flatMap((indent, index) => {
		const outer = sorted[index - 1];
		return outer !== undefined && indent.startsWith(outer) ? [indent.slice(outer.length)] : [];
	});
	return steps.sort((a, b) => a.length - b.length)[0] ?? "";
}
