/** Cuts an answer into pieces while it arrives, so that what is complete is drawn once and never again. */

/** A part of an answer that is drawn by itself. */
export type Piece = MarkdownPiece | CodePiece;

/** Whole paragraphs, lists, tables: whatever Markdown stands between two empty lines. */
export interface MarkdownPiece {
	readonly kind: "markdown";
	readonly text: string;
	/** An empty line belongs before it. */
	readonly isApart: boolean;
}

/** Lines of a fenced block; a long block comes in several pieces. */
export interface CodePiece {
	readonly kind: "code";
	/** As the fence names it; empty when it does not. */
	readonly language: string;
	readonly lines: readonly string[];
	/** The block begins, or ends, with this piece. */
	readonly opens: boolean;
	readonly closes: boolean;
	readonly isApart: boolean;
}

/** The pieces of one answer. */
export interface PieceCutter {
	/** Takes what has arrived and gives the pieces that it completes. */
	add(text: string): readonly Piece[];
	/** What has arrived of the next piece; undefined when nothing has. */
	readonly tail: Piece | undefined;
	/** Ends the answer and gives what is left of it. */
	end(): readonly Piece[];
}

/** Lines of an open code block that are still drawn again with each new one. */
const keptCodeLines = 16;
/** Characters without an empty line between them after which a piece is cut anyway: drawing it again and again costs. */
const longestPiece = 6_000;

/** What is known of an open fence. */
interface Fence {
	readonly mark: string;
	readonly language: string;
	isBegun: boolean;
	readonly isApart: boolean;
}

/** Starts with nothing. Memory stays small: complete pieces are forgotten. */
export function createPieceCutter(): PieceCutter {
	let rest = "";
	let fence: Fence | undefined;
	let isFirst = true;
	let isCut = false;

	const apart = () => {
		const value = !isFirst && !isCut;
		isFirst = false;
		isCut = false;
		return value;
	};
	const markdown = (text: string): Piece[] => {
		const trimmed = text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
		return trimmed.trim() === "" ? [] : [{ kind: "markdown", text: trimmed, isApart: apart() }];
	};

	const takeMarkdown = (): Piece[] | undefined => {
		const found = nextBoundary(rest);
		if (found === undefined) return undefined;
		const text = rest.slice(0, found.at);
		const pieces = markdown(text);
		if (found.fence === undefined) {
			rest = rest.slice(found.at);
			isCut = found.isForced;
			return pieces;
		}
		rest = rest.slice(found.fence.end);
		fence = { mark: found.fence.mark, language: found.fence.language, isBegun: false, isApart: apart() };
		return pieces;
	};

	const code = (open: Fence, lines: readonly string[], closes: boolean): Piece => {
		const piece = codePiece(open, lines, closes);
		open.isBegun = true;
		return piece;
	};
	const takeCode = (open: Fence): Piece[] | undefined => {
		const lines = rest.split("\n");
		// The last line may still grow.
		const closing = lines.findIndex((line, at) => at < lines.length - 1 && closesFence(line, open.mark));
		if (closing >= 0) {
			rest = lines.slice(closing + 1).join("\n");
			fence = undefined;
			return [code(open, lines.slice(0, closing), true)];
		}
		const complete = lines.length - 1 - keptCodeLines;
		if (complete < keptCodeLines) return undefined;
		rest = lines.slice(complete).join("\n");
		return [code(open, lines.slice(0, complete), false)];
	};

	return {
		add(text): readonly Piece[] {
			rest += text;
			const pieces: Piece[] = [];
			for (;;) {
				const taken = fence === undefined ? takeMarkdown() : takeCode(fence);
				if (taken === undefined) return pieces;
				pieces.push(...taken);
			}
		},
		get tail(): Piece | undefined {
			if (fence !== undefined) return codePiece(fence, openLines(rest, fence.mark), false);
			const text = rest.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
			return text.trim() === "" ? undefined : { kind: "markdown", text, isApart: !isFirst && !isCut };
		},
		end() {
			const last = fence;
			const left = rest;
			rest = "";
			fence = undefined;
			if (last === undefined) return markdown(left);
			const lines = openLines(left, last.mark);
			return [codePiece(last, lines.at(-1) === "" ? lines.slice(0, -1) : lines, true)];
		},
	};
}

function codePiece(fence: Fence, lines: readonly string[], closes: boolean): CodePiece {
	const opens = !fence.isBegun;
	return { kind: "code", language: fence.language, lines, opens, closes, isApart: opens && fence.isApart };
}

/** The lines of an open block, without a closing fence of which only the beginning, or the line end, is missing. */
function openLines(text: string, mark: string): readonly string[] {
	const lines = text.split("\n");
	const last = lines.at(-1) ?? "";
	const isClosing = closesFence(last, mark) || (last !== "" && mark.startsWith(last.trim()) && last.trim() !== "");
	return isClosing ? lines.slice(0, -1) : lines;
}

function closesFence(line: string, mark: string): boolean {
	const text = line.trim();
	return text.startsWith(mark) && text === (mark[0] ?? "").repeat(text.length) && /^ {0,3}\S/.test(line);
}

/** Where a piece of Markdown ends. */
interface Boundary {
	readonly at: number;
	/** The piece is only cut because it is long. */
	readonly isForced: boolean;
	/** A fence begins there; `end` is behind its line. */
	readonly fence?: { readonly mark: string; readonly language: string; readonly end: number };
}

/** The end of the first piece of `text`; undefined while that may still grow. */
function nextBoundary(text: string): Boundary | undefined {
	let isBehindEmptyLine = false;
	let hasWords = false;
	for (const { line, start, end, isWhole } of linesOf(text)) {
		const opening = isWhole ? /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/.exec(line) : null;
		if (opening !== null) {
			const [, mark = "", language = ""] = opening;
			return { at: start, isForced: false, fence: { mark, language, end } };
		}
		if (isBehindEmptyLine && hasWords && isOwnBlock(line, isWhole)) return { at: start, isForced: false };
		const isEmpty = line.trim() === "";
		isBehindEmptyLine = isEmpty && isWhole;
		hasWords ||= !isEmpty;
	}
	return text.length > longestPiece ? { at: forcedCut(text), isForced: true } : undefined;
}

/** What is indented may go on with a list; the line of a fence must be whole to be known as one. */
function isOwnBlock(line: string, isWhole: boolean): boolean {
	return isWhole ? /^\S/.test(line) : /^[^\s`~]/.test(line);
}

function* linesOf(text: string) {
	for (let start = 0; start < text.length; ) {
		const at = text.indexOf("\n", start);
		const end = at < 0 ? text.length : at + 1;
		yield { line: text.slice(start, at < 0 ? end : at), start, end, isWhole: at >= 0 };
		start = end;
	}
}

/** Behind the last line end or the last space of a piece that is too long. */
function forcedCut(text: string): number {
	const line = text.lastIndexOf("\n") + 1;
	if (line > 0) return line;
	const space = text.lastIndexOf(" ") + 1;
	return space > 0 ? space : text.length;
}
