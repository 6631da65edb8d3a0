/** From what ripgrep, grep or find print to results: a file name may hold line ends, colons and anything else but NUL. */

/** One line of a search's output: a file, and what is said about it. */
export interface SearchRecord {
	/** Relative to the searched folder. */
	readonly path: string;
	/** `12:text` or `12-text` for a line, the number of matches for a count, empty for a name. */
	readonly rest: string;
}

/** A line of a file that fits, or one near it. */
export interface Match {
	/** Relative to the searched folder. */
	readonly path: string;
	readonly line: number;
	readonly content: string;
	/** Shown because a match is near. */
	readonly isContext: boolean;
}

/** What the output consists of. */
export interface OutputForm {
	readonly mode: "content" | "files_only" | "count" | "names";
	/** A NUL stands behind each file name of a content or a count, instead of a colon. */
	readonly hasNul: boolean;
}

/** Characters of a line that are shown. */
const longestLine = 500;

/** The records of `output`; a piece of one at the end, and counts of nothing, are left out. */
export function recordsIn(output: string, { mode, hasNul }: OutputForm): SearchRecord[] {
	if (mode === "names")
		return linesIn(output)
			.flatMap((line) => /^\d+ (.+)\/\/$/s.exec(line)?.[1] ?? [])
			.map(nameRecord);
	if (mode === "files_only") return linesIn(output).map(nameRecord);
	const records = hasNul ? splitAtNul(output) : linesIn(output).flatMap((line) => splitAtColon(line, mode) ?? []);
	return mode === "count" ? records.filter(({ rest }) => rest !== "0") : records;
}

/** The match or context line of a record; undefined for anything else. */
export function parseMatch({ path, rest }: SearchRecord): Match | undefined {
	const [, number, mark, text] = /^(\d+)([:-])(.*)$/s.exec(rest) ?? [];
	if (number === undefined || text === undefined) return undefined;
	return { path, line: Number(number), content: shorten(text), isContext: mark === "-" };
}

/**
 * The matches from `offset` on, at most `limit`, with the context lines around them, and how many matches there are in
 * all of `entries`.
 */
export function pageOfMatches(
	entries: readonly Match[],
	page: { readonly offset: number; readonly limit: number; readonly context: number },
): { readonly shown: readonly Match[]; readonly total: number } {
	const matches = entries.filter((entry) => !entry.isContext);
	const kept = new Map<string, number[]>();
	for (const { path, line } of matches.slice(page.offset, page.offset + page.limit))
		kept.set(path, [...(kept.get(path) ?? []), line]);
	const isShown = ({ path, line, isContext }: Match) =>
		kept.get(path)?.some((near) => (isContext ? Math.abs(near - line) <= page.context : near === line)) ?? false;
	return { shown: entries.filter(isShown), total: matches.length };
}

function linesIn(output: string): string[] {
	return output.split("\n").filter((line) => line !== "");
}

/** One name a line; the line ends in the name itself were written as NUL. */
function nameRecord(line: string): SearchRecord {
	return { path: withoutDot(line.replaceAll("\0", "\n")), rest: "" };
}

/** `path NUL rest line-end`, again and again. */
function splitAtNul(output: string): SearchRecord[] {
	const records: SearchRecord[] = [];
	let start = 0;
	for (let nul = output.indexOf("\0"); nul >= 0; nul = output.indexOf("\0", start)) {
		const lineEnd = output.indexOf("\n", nul);
		const end = lineEnd < 0 ? output.length : lineEnd;
		// Every path begins with `./`, so that the line between two groups of context cannot be a part of it.
		const path = output.slice(start, nul).replace(/^--\n/, "");
		records.push({ path: withoutDot(path), rest: output.slice(nul + 1, end) });
		start = end + 1;
	}
	return records;
}

function splitAtColon(line: string, mode: OutputForm["mode"]): SearchRecord | undefined {
	// In a context line the name may hold `-12-` too, so the last one counts.
	const match =
		mode === "count" ? /^(.*):(\d+)$/s.exec(line) : (/^(.*?):(\d+:.*)$/s.exec(line) ?? /^(.*)-(\d+-.*)$/s.exec(line));
	const [, path, rest] = match ?? [];
	return path === undefined || rest === undefined ? undefined : { path: withoutDot(path), rest };
}

/** `path` without the `./` that a search of the current folder puts before it. */
function withoutDot(path: string): string {
	return path.replace(/^\.\//, "");
}

function shorten(text: string): string {
	const line = text.replace(/\r$/, "");
	return line.length <= longestLine ? line : `${line.slice(0, longestLine).toWellFormed()}... [truncated]`;
}
