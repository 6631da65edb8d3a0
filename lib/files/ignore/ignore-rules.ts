/** What the lines of a `.gitignore` mean. */

/** One pattern of an ignore file. */
export interface IgnoreRule {
	/** It takes back what a line before it said. */
	readonly keeps: boolean;
	/** It is about folders alone. */
	readonly isFolder: boolean;
	/** Fits a path relative to the folder of the file. */
	readonly pattern: RegExp;
}

/** The rules in the text of an ignore file, in its order; lines that are no pattern are passed over. */
export function parseIgnoreFile(text: string): IgnoreRule[] {
	return text
		.replace(/^\ufeff/, "")
		.split(/\r?\n/)
		.flatMap((line) => parseLine(line) ?? []);
}

/** Whether the last rule that fits `path`, relative to the folder of the rules, ignores it; undefined when none fits. */
export function verdictOf(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean | undefined {
	const rule = rules.findLast(({ pattern, isFolder: onlyFolders }) => (!onlyFolders || isFolder) && pattern.test(path));
	return rule === undefined ? undefined : !rule.keeps;
}

function parseLine(line: string): IgnoreRule | undefined {
	// Blanks at the end count only behind a backslash.
	const trimmed = line.replace(/(?<!\\)((?:\\\\)*) +$/, "$1");
	if (trimmed === "" || trimmed.startsWith("#")) return undefined;
	const keeps = trimmed.startsWith("!");
	const whole = keeps ? trimmed.slice(1) : trimmed;
	const isFolder = whole.endsWith("/");
	const body = isFolder ? whole.slice(0, -1) : whole;
	if (body === "" || /(?<!\\)(?:\\\\)*\\$/.test(body)) return undefined;
	const source = globSource(body.replace(/^\//, ""));
	// With a slash that is not at its end a pattern is about this folder, without one about every folder below.
	const start = body.includes("/") ? "^" : "^(?:.*/)?";
	return source === undefined ? undefined : { keeps, isFolder, pattern: new RegExp(`${start}${source}$`, "s") };
}

/** The regular expression for a pattern; undefined when a bracket has no end. */
function globSource(glob: string): string | undefined {
	let source = "";
	for (let at = 0; at < glob.length; ) {
		const piece = pieceAt(glob, at);
		if (piece === undefined) return undefined;
		source += piece.source;
		at += piece.length;
	}
	return source;
}

interface Piece {
	readonly source: string;
	readonly length: number;
}

function pieceAt(glob: string, at: number): Piece | undefined {
	const rest = glob.slice(at);
	const isStart = at === 0 || glob[at - 1] === "/";
	const stars = /^\*+/.exec(rest)?.[0].length;
	if (stars !== undefined) return starsAt(stars, isStart && stars > 1, rest[stars]);
	if (rest.startsWith("?")) return { source: "[^/]", length: 1 };
	if (rest.startsWith("[")) return classAt(rest);
	const isEscaped = rest.startsWith("\\");
	const char = String.fromCodePoint((isEscaped ? rest.slice(1) : rest).codePointAt(0) ?? 0);
	return { source: RegExp.escape(char), length: char.length + (isEscaped ? 1 : 0) };
}

/** Two and more stars that stand alone between slashes are any number of folders. */
function starsAt(length: number, mayBeDeep: boolean, next: string | undefined): Piece {
	if (mayBeDeep && next === undefined) return { source: ".+", length };
	return mayBeDeep && next === "/" ? { source: "(?:.*/)?", length: length + 1 } : { source: "[^/]*", length };
}

function classAt(rest: string): Piece | undefined {
	const [whole, isOpposite, members = ""] = /^\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]/s.exec(rest) ?? [];
	if (whole === undefined) return undefined;
	const inside = members.replace(/\[:\w+:\]|\\.|[\]^[]/gs, memberSource);
	// A class never fits the slash between folders.
	return { source: `(?!/)[${isOpposite ? "^" : ""}${inside}]`, length: whole.length };
}

/** `[:digit:]`, an escaped sign, or a sign that means more in a regular expression. */
function memberSource(member: string): string {
	if (member.startsWith("[:")) return namedClasses[member.slice(2, -2)] ?? "";
	const sign = member.at(-1) ?? "";
	return /\w/.test(sign) ? sign : `\\${sign}`;
}

const namedClasses: Readonly<Record<string, string>> = {
	alpha: "A-Za-z",
	digit: "0-9",
	alnum: "A-Za-z0-9",
	upper: "A-Z",
	lower: "a-z",
	space: "\\s",
	xdigit: "0-9A-Fa-f",
};
