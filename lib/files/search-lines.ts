/** From the lines that ripgrep or grep print to matches. */

export interface Match {
	/** Relative to the searched folder. */
	readonly path: string;
	readonly line: number;
	readonly content: string;
	/** Shown because a match is near. */
	readonly isContext: boolean;
}

/** Characters of a line that are shown. */
const longestLine = 500;

/** The match or context line in `line`; undefined for separators and for anything else. */
export function parseMatch(line: string): Match | undefined {
	const nul = line.indexOf("\0");
	const parts = nul >= 0 ? afterNul(line, nul) : /^(.*?):(\d+)(:)(.*)$/s.exec(line);
	// In a context line the name may hold `-12-` too, so the last one counts.
	const found = parts ?? /^(.*)-(\d+)(-)(.*)$/s.exec(line);
	const [, path, number, mark, text] = found ?? [];
	if (path === undefined || number === undefined || text === undefined) return undefined;
	return { path: withoutDot(path), line: Number(number), content: shorten(text), isContext: mark === "-" };
}

/** `path:N` of a count. */
export function parseCount(line: string): { path: string; count: number } | undefined {
	const match = /^(.*):(\d+)$/s.exec(line);
	return match?.[1] === undefined ? undefined : { path: withoutDot(match[1]), count: Number(match[2]) };
}

/** `path` without the `./` that a search of the current folder puts before it. */
export function withoutDot(path: string): string {
	return path.replace(/^\.\//, "");
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

function afterNul(line: string, nul: number): string[] | null {
	const match = /^(\d+)([:-])(.*)$/s.exec(line.slice(nul + 1));
	return match === null ? null : [line, line.slice(0, nul), match[1] ?? "", match[2] ?? "", match[3] ?? ""];
}

function shorten(text: string): string {
	const line = text.replace(/\r$/, "");
	return line.length <= longestLine ? line : `${line.slice(0, longestLine).toWellFormed()}... [truncated]`;
}
