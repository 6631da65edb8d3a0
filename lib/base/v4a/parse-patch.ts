/** Patches in the V4A form, as models write them: strict in what would lose content, lenient in everything else. */

import type { Hunk, HunkLine, Operation, ParsedPatch, Problem } from "./operations.ts";
import { pathProblem } from "./operations.ts";

/** What a patch looks like, for whoever sent something else. */
const expectedForm =
	'"*** Begin Patch", then "*** Update File: path", "@@ a line before the place", lines that begin with a blank (kept), - (removed) or + (added), and "*** End Patch"; also "*** Add File: path" with + lines, "*** Delete File: path" and "*** Move File: path -> path"';

const header = /^\*\*\*\s*(Update|Add|Delete|Move)\s*File\s*:\s*(.*?)\s*$/i;
const moveTo = /^\*\*\*\s*Move\s*to\s*:\s*(.*?)\s*$/i;
const endOfFile = /^\*\*\*\s*End\s*of\s*File\s*$/i;
const anyHeader = /^\*\*\*\s+\S/;
const range = /^@@\s*-(\d+)(?:,\d+)?\s+\+\d+(?:,\d+)?\s*@@/;
/** Not in a line of content, which begins with a sign. */
const beginMark = /^[^+\- ]*\*\*\*\s*Begin\s*Patch/i;
const endMark = /^[^+\- ]*\*\*\*\s*End\s*Patch/i;

/** The operations in `text`, or every line that cannot be understood. */
export function parsePatch(text: string): ParsedPatch {
	const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
	const end = lines.findIndex((line) => endMark.test(line));
	const last = end < 0 ? lines.length : end;
	const begin = lines.slice(0, last).findLastIndex((line) => beginMark.test(line));
	const reader = new PatchReader(begin >= 0);
	for (const [index, line] of lines.slice(0, last).entries()) if (index > begin) reader.read(line, index + 1);
	return reader.finish();
}

interface OpenHunk {
	lineNumber: number;
	hints: string[];
	nearLine?: number;
	/** `isBare`: an empty line without its sign, which may be no line at all. */
	lines: (HunkLine & { isBare?: boolean })[];
	isAtEnd: boolean;
}

interface OpenOperation {
	readonly kind: string;
	readonly path: string;
	readonly lineNumber: number;
	moveTo?: string;
	/** Lines of a new file; undefined for an empty line without its sign. */
	readonly content: (string | undefined)[];
	readonly hunks: OpenHunk[];
}

const signs: Readonly<Record<string, HunkLine["kind"]>> = { " ": "context", "-": "removed", "+": "added" };

class PatchReader {
	readonly #operations: OpenOperation[] = [];
	readonly #problems: Problem[] = [];
	readonly #hasBegun: boolean;

	constructor(hasBegun: boolean) {
		this.#hasBegun = hasBegun;
	}

	read(line: string, lineNumber: number): void {
		const [, kind, path] = header.exec(line) ?? [];
		const open = this.#operations.at(-1);
		if (kind !== undefined && path !== undefined) this.#open(kind.toLowerCase(), path, lineNumber);
		else if (open === undefined) this.#readBefore(line, lineNumber);
		else if (open.kind === "update") this.#readUpdate(open, line, lineNumber);
		else if (open.kind === "add") this.#readAdd(open, line, lineNumber);
		else if (line.trim() !== "") this.#refuse("unexpected_line", lineNumber, `${shown(line)} belongs to no operation`);
	}

	finish(): ParsedPatch {
		const operations = this.#operations.flatMap((open) => this.#closed(open) ?? []);
		if (operations.length === 0 && this.#problems.length === 0)
			this.#refuse("no_operations", 1, `there is no operation in it. A patch is ${expectedForm}`);
		const problems = this.#problems.toSorted((a, b) => a.lineNumber - b.lineNumber);
		return problems.length > 0 ? { ok: false, problems } : { ok: true, operations };
	}

	#open(kind: string, path: string, lineNumber: number): void {
		this.#operations.push({ kind, path, lineNumber, content: [], hunks: [] });
	}

	#readBefore(line: string, lineNumber: number): void {
		// Before the patch begins anything may be said.
		if (this.#hasBegun && line.trim() !== "")
			this.#refuse("unexpected_line", lineNumber, `${shown(line)} stands before the first operation`);
	}

	#readAdd(open: OpenOperation, line: string, lineNumber: number): void {
		if (line.startsWith("+")) open.content.push(line.slice(1));
		else if (line === "") open.content.push(undefined);
		else this.#refuse("bad_add_line", lineNumber, `${shown(line)} is in a new file and does not begin with +`);
	}

	#readUpdate(open: OpenOperation, line: string, lineNumber: number): void {
		const target = moveTo.exec(line)?.[1];
		if (target !== undefined && open.hunks.length === 0) open.moveTo = target;
		else if (endOfFile.test(line)) this.#endOfFile(open, lineNumber);
		else if (anyHeader.test(line)) this.#refuse("unknown_header", lineNumber, `${shown(line)} is no header`);
		else if (line.startsWith("@@")) openHunk(open, line, lineNumber);
		else if (!line.startsWith("\\")) addLine(open, line, lineNumber);
	}

	#endOfFile(open: OpenOperation, lineNumber: number): void {
		const hunk = open.hunks.at(-1);
		if (hunk === undefined) this.#refuse("no_hunks", lineNumber, "the end of the file is marked before any line");
		else hunk.isAtEnd = true;
	}

	#closed(open: OpenOperation): Operation | undefined {
		const { path, lineNumber } = open;
		const [from = "", to] = open.kind === "move" ? path.split(/\s*->\s*/) : [path];
		const wrong = pathProblem(from, lineNumber) ?? (to === undefined ? undefined : pathProblem(to, lineNumber));
		if (wrong !== undefined) this.#problems.push(wrong);
		if (open.kind === "add") return { kind: "add", path, lineNumber, content: contentOf(open.content) };
		if (open.kind === "delete") return { kind: "delete", path, lineNumber };
		if (open.kind === "update") return this.#closedUpdate(open);
		if (to !== undefined) return { kind: "move", path: from, to, lineNumber };
		this.#refuse("no_destination", lineNumber, `the move of "${path}" names no destination ("path -> path")`);
		return undefined;
	}

	#closedUpdate({ path, lineNumber, hunks: open, moveTo: to }: OpenOperation): Operation | undefined {
		const hunks = open.map(closedHunk).filter(({ lines }) => lines.length > 0);
		const wrong = to === undefined ? undefined : pathProblem(to, lineNumber);
		if (wrong !== undefined) this.#problems.push(wrong);
		if (hunks.length === 0 && to !== undefined) return { kind: "move", path, to, lineNumber };
		if (hunks.length === 0 && path !== "")
			this.#refuse("no_hunks", lineNumber, `the update of "${path}" changes nothing`);
		return { kind: "update", path, lineNumber, hunks, ...(to !== undefined && { moveTo: to }) };
	}

	#refuse(code: string, lineNumber: number, message: string): void {
		this.#problems.push({ code, lineNumber, message });
	}
}

function openHunk(open: OpenOperation, line: string, lineNumber: number): void {
	const nearLine = range.exec(line)?.[1];
	const hint =
		nearLine === undefined
			? line
					.slice(2)
					.replace(/@@\s*$/, "")
					.trim()
			: "";
	const last = open.hunks.at(-1);
	// Lines of one place narrow it one after the other.
	const hunk = last !== undefined && last.lines.length === 0 ? last : newHunk(open, lineNumber);
	if (hint !== "") hunk.hints.push(hint);
	if (nearLine !== undefined) hunk.nearLine = Number(nearLine);
}

function newHunk(open: OpenOperation, lineNumber: number): OpenHunk {
	const hunk: OpenHunk = { lineNumber, hints: [], lines: [], isAtEnd: false };
	open.hunks.push(hunk);
	return hunk;
}

function addLine(open: OpenOperation, line: string, lineNumber: number): void {
	const last = open.hunks.at(-1);
	if (line === "" && (last === undefined || last.isAtEnd)) return;
	const hunk = last === undefined || last.isAtEnd ? newHunk(open, lineNumber) : last;
	const kind = signs[line[0] ?? ""];
	if (kind !== undefined) hunk.lines.push({ kind, text: line.slice(1) });
	else hunk.lines.push({ kind: "context", text: line, isBare: line === "" });
}

/** Bare empty lines at both ends are how the patch is laid out. */
function closedHunk({ lines, ...hunk }: OpenHunk): Hunk {
	const first = lines.findIndex(({ isBare }) => !isBare);
	const last = lines.findLastIndex(({ isBare }) => !isBare);
	const kept = first < 0 ? [] : lines.slice(first, last + 1);
	return { ...hunk, lines: kept.map(({ kind, text }) => ({ kind, text })) };
}

/** Lines without a sign at the end separate operations; between others they are empty lines. */
function contentOf(lines: readonly (string | undefined)[]): string {
	const last = lines.findLastIndex((line) => line !== undefined);
	return lines
		.slice(0, last + 1)
		.map((line) => `${line ?? ""}\n`)
		.join("");
}

function shown(line: string): string {
	return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
