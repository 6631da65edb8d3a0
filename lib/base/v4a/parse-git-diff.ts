/** Diffs as `git diff` prints them, read as the same operations; their lines are the bytes of the files. */

import { type Hunk, type HunkLine, type Operation, type ParsedPatch, type Problem, pathProblem } from "./operations.ts";

const fileHeader = /^diff --git /;
const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const openEnd = "\\ No newline at end of file";
const kinds: Readonly<Record<string, HunkLine["kind"]>> = { " ": "context", "-": "removed", "+": "added" };

/** Whether `text` is such a diff. One without a `diff --git` line says too little about what it means. */
export function isGitDiff(text: string): boolean {
	return /^diff --git /m.test(text) && !/^\*\*\*\s*(Begin Patch|(Update|Add|Delete|Move) File)/im.test(text);
}

/** The operations in `text`. Binary changes, copies and changes of mode alone are refused. */
export function parseGitDiff(text: string): ParsedPatch {
	const lines = withoutTransportEnds(text).split("\n");
	const starts = lines.flatMap((line, index) => (fileHeader.test(line) ? [index] : []));
	const problems: Problem[] = [];
	const operations: Operation[] = [];
	for (const [index, start] of starts.entries()) {
		const file = readFile(lines.slice(start, starts[index + 1] ?? lines.length), start + 1);
		if ("problem" in file) problems.push(file.problem);
		else operations.push(file.operation);
	}
	return problems.length > 0 ? { ok: false, problems } : { ok: true, operations };
}

/** Carriage returns behind the headers came on the way; else those of the lines belong to the files. */
function withoutTransportEnds(text: string): string {
	return /^diff --git .*\r$/m.test(text) ? text.replace(/\r$/gm, "") : text;
}

type ReadFile = { readonly operation: Operation } | { readonly problem: Problem };

function readFile(lines: readonly string[], lineNumber: number): ReadFile {
	const refuse = (code: string, message: string): ReadFile => ({ problem: { code, lineNumber, message } });
	const first = lines.findIndex((line) => hunkHeader.test(line));
	const head = lines.slice(0, first < 0 ? lines.length : first);
	const field = (name: string) => head.find((line) => line.startsWith(name))?.slice(name.length);
	if (field("GIT binary patch") !== undefined || field("Binary files ") !== undefined)
		return refuse("binary", "a binary change cannot be applied");
	if (field("copy from ") !== undefined) return refuse("copy", "a copy cannot be applied; add the file instead");
	const hunks = readHunks(lines, { first, lineNumber });
	if ("problem" in hunks) return hunks;
	const paths = pathsIn(head);
	if (paths === undefined) return refuse("bad_path", "the header names no path that can be read");
	const { from, to } = paths;
	const wrong = pathProblem(from, lineNumber) ?? pathProblem(to, lineNumber);
	if (wrong !== undefined) return { problem: wrong };
	if (field("deleted file ") !== undefined) return { operation: { kind: "delete", path: from, lineNumber } };
	if (field("new file ") !== undefined)
		return { operation: { kind: "add", path: to, lineNumber, content: addedText(hunks.hunks) } };
	if (hunks.hunks.length > 0) {
		const moveTo = from === to ? {} : { moveTo: to };
		return { operation: { kind: "update", path: from, lineNumber, hunks: hunks.hunks, isVerbatim: true, ...moveTo } };
	}
	if (from !== to) return { operation: { kind: "move", path: from, to, lineNumber } };
	return refuse("no_hunks", `the diff of "${from}" changes no line`);
}

function readHunks(
	lines: readonly string[],
	{ first, lineNumber }: { readonly first: number; readonly lineNumber: number },
): { readonly hunks: readonly Hunk[] } | { readonly problem: Problem } {
	const hunks: Hunk[] = [];
	for (let at = first; at >= 0 && at < lines.length; ) {
		const [, start, before = "1", , after = "1"] = hunkHeader.exec(lines[at] ?? "") ?? [];
		// Behind the last hunk there may be anything, such as the signature of a mail.
		if (start === undefined) break;
		const read = readHunk(lines, { at: at + 1, before: Number(before), after: Number(after) });
		if (read === undefined) {
			const message = "the hunk has fewer lines than its header says";
			return { problem: { code: "short_hunk", lineNumber: lineNumber + at, message } };
		}
		hunks.push({ lineNumber: lineNumber + at, hints: [], nearLine: Number(start), isAtEnd: false, ...read.hunk });
		at = read.end;
	}
	return { hunks };
}

function readHunk(
	lines: readonly string[],
	{ at, before, after }: { readonly at: number; readonly before: number; readonly after: number },
): { readonly hunk: Pick<Hunk, "lines" | "leavesOpenEnd">; readonly end: number } | undefined {
	const read: HunkLine[] = [];
	let [old, fresh, end] = [0, 0, at];
	let leavesOpenEnd = false;
	while (old < before || fresh < after || lines[end] === openEnd) {
		const line = lines[end++] ?? "";
		if (line === openEnd) {
			leavesOpenEnd ||= read.at(-1)?.kind !== "removed";
			continue;
		}
		const kind = kinds[line[0] ?? " "];
		if (kind === undefined || end > lines.length) return undefined;
		read.push({ kind, text: line.slice(1) });
		if (kind !== "added") old++;
		if (kind !== "removed") fresh++;
	}
	return { hunk: { lines: read, leavesOpenEnd }, end };
}

function addedText(hunks: readonly Hunk[]): string {
	const added = hunks.flatMap(({ lines }) => lines.map(({ text }) => text));
	const isOpen = hunks.at(-1)?.leavesOpenEnd === true;
	return added.length === 0 ? "" : added.join("\n") + (isOpen ? "" : "\n");
}

/** Old and new path, by the most telling lines of the header. */
function pathsIn(head: readonly string[]): { from: string; to: string } | undefined {
	const named = (prefix: string) => {
		const line = head.find((text) => text.startsWith(prefix));
		return line === undefined ? undefined : unquote(line.slice(prefix.length).replace(/\t$/, ""));
	};
	const [renamedFrom, renamedTo] = [named("rename from "), named("rename to ")];
	if (renamedFrom !== undefined && renamedTo !== undefined) return { from: renamedFrom, to: renamedTo };
	const [old, fresh] = [named("--- "), named("+++ ")];
	if (old === undefined || fresh === undefined) return samePaths(head[0] ?? "");
	const [from, to] = [withoutSide(old), withoutSide(fresh)];
	return { from: from ?? to ?? "", to: to ?? from ?? "" };
}

/** Without other lines both paths of the first one are the same. */
function samePaths(line: string): { from: string; to: string } | undefined {
	const rest = line.replace(fileHeader, "");
	const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(rest);
	const half = (rest.length - 1) / 2;
	const path = withoutSide(unquote(quoted?.[1] ?? rest.slice(0, half)));
	return path === undefined ? undefined : { from: path, to: path };
}

/** Undefined for `/dev/null`. */
function withoutSide(path: string): string | undefined {
	return path === "/dev/null" ? undefined : path.replace(/^[^/]+\//, "");
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, v: 11, f: 12 };

/** A path in quotes is written byte by byte. */
function unquote(path: string): string {
	if (!path.startsWith('"') || !path.endsWith('"')) return path;
	const bytes: number[] = [];
	for (const [, octal, letter, plain] of path.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
		if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
		else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
		else bytes.push(...new TextEncoder().encode(plain));
	}
	return new TextDecoder().decode(new Uint8Array(bytes));
}
