/** Searching file contents and file names. */

import { posix } from "node:path";
import { deviceRefusal, type HomeFolders, readRefusal } from "../security/path-safety.ts";
import { grepPattern } from "./grep-pattern.ts";
import { readIgnoreFiles } from "./ignore/ignored-paths.ts";
import { deadEnds, type Located, locatedIn } from "./located.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { runScript, type ScriptAnswer } from "./run-script.ts";
import { searchScript } from "./scripts/search-script.ts";
import { fitsGlobs, globsOf } from "./search-globs.ts";
import { inPathOrder } from "./search-order.ts";
import { recordsIn, type SearchRecord } from "./search-records.ts";
import { similarNames } from "./similar-names.ts";

/** What to look for, where, and how much of it. */
export interface SearchRequest {
	/** `names` looks for files whose names fit `glob`; the others look for `pattern` in contents. */
	readonly mode: "content" | "files_only" | "count" | "names";
	readonly pattern: string;
	readonly path: string;
	/** File name pattern; undefined for every file that is not hidden. */
	readonly glob: string | undefined;
	/** Results that are enough. */
	readonly wanted: number;
	/** Lines around a match. */
	readonly context: number;
	/** `grep` leaves ripgrep out even where it is installed. */
	readonly program?: "auto" | "grep";
	/** After so long the search ends with what it has; 50 when left out. */
	readonly seconds?: number;
}

/** What a search found; files that may not be shown are left out. */
export interface Found {
	readonly ok: true;
	readonly records: readonly SearchRecord[];
	/** There are more results than `records`. */
	readonly isCut: boolean;
	readonly timedOut: boolean;
	/** The path of a record as the caller should see it. */
	show(path: string): string;
}

const usualSeconds = 50;
/** What comes after the search itself, and what a program takes to end. */
const graceSeconds = 10;
/**
 * Results up to so many lines are sorted here: programs find them faster in any order. More are searched for in their order,
 * which ends early.
 */
const linesInAnyOrder = 2_000;
const answerBytes = 16 * 1024 * 1024;
/** Output beyond this is cut off inside the sandbox; names take part of `answerBytes` too. */
const outputBytes = 12 * 1024 * 1024;
/** Where names are filtered afterwards, more lines are needed to fill a page. */
const linesBeforeFilter = 20_000;
const mostLines = 1_000_000;
/** What the script says when the time of the search was over. */
const lateLine = "hermes: late";

/**
 * Searches below the folder of `request.path`; results come in the order of their paths, names with the newest file first.
 * Hidden files and folders are left out, and those that `.gitignore` names. Where lines that were enough for the results turn out
 * not to be (a name may take many of them, and files may be left out), it searches again for more.
 */
export async function search(place: FilePlace, request: SearchRequest): Promise<Found | FileRefused> {
	const parsed = request.glob === undefined ? { globs: [] } : globsOf(request.glob);
	if ("reason" in parsed) return refuse(request, `"${request.glob}" is no file name pattern: ${parsed.reason}`);
	if (request.pattern.includes("\n"))
		return refuse(request, "the search goes line by line and the pattern holds a line end");
	const { globs } = parsed;
	if (request.mode !== "names") {
		const quick = await runSearch(place, request, { globs, lines: linesInAnyOrder, order: "any" });
		if (!quick.ok || quick.timedOut || !quick.isCut) return quick;
	}
	for (let lines = linesFor(request, globs); ; lines *= 8) {
		const found = await runSearch(place, request, { globs, lines, order: "sorted" });
		if (!found.ok || !found.isCut || found.timedOut) return found;
		if (resultsIn(found, request) >= request.wanted || lines >= mostLines || found.isFull) return found;
	}
}

function linesFor({ wanted, context }: SearchRequest, globs: readonly string[]): number {
	if (globs.some((glob) => glob.includes("/"))) return linesBeforeFilter;
	return wanted * (context === 0 ? 1 : 2 * context + 2);
}

interface Output {
	readonly globs: readonly string[];
	/** Lines of output that were asked for. */
	readonly lines: number;
	readonly order: "any" | "sorted";
}

/** What one run of the program brought. */
interface FoundOnce extends Found {
	/** There is no room for more. */
	readonly isFull: boolean;
}

async function runSearch(place: FilePlace, request: SearchRequest, output: Output): Promise<FoundOnce | FileRefused> {
	const { mode, path, pattern, context, program = "auto", seconds = usualSeconds } = request;
	const numbers = [output.lines, outputBytes, context].map(String);
	const answer = await runScript(place, {
		script: searchScript,
		args: [
			...[mode, path, pattern, grepPattern(pattern), ...numbers, program, String(seconds), output.order],
			...output.globs,
		],
		answerBytes,
		timeoutSeconds: seconds + graceSeconds,
	});
	const refusal = refusalOf(answer, request);
	if (refusal !== undefined) return refusal;
	const found = foundIn(answer, request, output);
	return answer.fields.get("program") === "rg" ? found : withoutIgnored(place, found, answer);
}

/** ripgrep knows ignore files itself. */
async function withoutIgnored(place: FilePlace, found: FoundOnce, { fields }: ScriptAnswer): Promise<FoundOnce> {
	const base = fields.get("path") ?? "/";
	if (fields.get("kind") === "file" || found.records.length === 0) return found;
	const full = ({ path }: SearchRecord) => posix.join(base, path);
	const isIgnored = await readIgnoreFiles(place, base, found.records.map(full));
	return { ...found, records: found.records.filter((record) => !isIgnored(full(record))) };
}

function refusalOf(answer: ScriptAnswer, request: SearchRequest): FileRefused | undefined {
	const { fields, timedOut } = answer;
	const located = locatedIn({ fields, timedOut: timedOut && !fields.has("kind") }, request.path);
	if (located.kind === "missing") return missing(located, request);
	if (located.kind === "closed") return refuse(request, deadEnds.closed);
	if (located.kind === "unresolved" || located.kind === "other")
		return refuse(request, "it is neither a folder nor a file");
	if (located.kind === "endless") return refuse(request, "it never ends, or waits for ever");
	if (fields.has("unreadable")) return refuse(request, "permission denied");
	const isSilent = (fields.get("lines") ?? "") === "";
	const complaint = isSilent ? complaintIn(fields.get("said") ?? "") : "";
	return complaint === "" ? undefined : { ok: false, error: `Search failed: ${complaint}` };
}

function missing(located: Located, request: SearchRequest): FileRefused {
	const similar = similarNames(posix.basename(located.path), located.neighbours);
	const advice = similar.length === 0 ? "" : `. Similar paths: ${similar.join(", ")}`;
	return { ok: false, error: `Path not found: ${request.path}${advice}` };
}

/** What the program said that is about the search itself; the last line is its exit code. */
function complaintIn(said: string): string {
	const lines = said.split("\n").slice(0, -1);
	return lines
		.filter((line) => line !== "" && !line.startsWith("find: ") && line !== lateLine)
		.join("; ")
		.slice(0, 500);
}

function foundIn(answer: ScriptAnswer, request: SearchRequest, { globs, lines, order }: Output): FoundOnce {
	const { fields, timedOut } = answer;
	const base = fields.get("path") ?? request.path;
	const isFile = fields.get("kind") === "file";
	const folders: HomeFolders = { home: fields.get("home") ?? "", hermesHome: fields.get("hermes_home") ?? "" };
	const output = fields.get("lines") ?? "";
	const filtersLater = !isFile && globs.some((glob) => glob.includes("/"));
	const isShown = ({ path }: SearchRecord) => {
		const full = isFile ? base : posix.join(base, path);
		if (readRefusal(full, folders) !== undefined || deviceRefusal(full) !== undefined) return false;
		return !filtersLater || fitsGlobs(path, globs);
	};
	const records = recordsIn(output, { mode: request.mode, hasNul: fields.has("nul") }).filter(isShown);
	const isFull = bytesIn(answer) >= outputBytes;
	const pathOrder = fields.get("program") === "rg" ? "folders" : "bytes";
	return {
		ok: true,
		records: order === "any" ? inPathOrder(records, pathOrder) : records,
		isCut: isFull || output.split("\n").length > lines,
		isFull,
		timedOut: timedOut || (fields.get("said") ?? "").split("\n").includes(lateLine),
		show: (path) => (isFile ? request.path : shownPath(path, request.path, base)),
	};
}

function bytesIn({ fields }: ScriptAnswer): number {
	return Buffer.byteLength(fields.get("lines") ?? "");
}

function resultsIn({ records }: Found, { mode }: SearchRequest): number {
	return mode === "content" ? records.filter(({ rest }) => /^\d+:/.test(rest)).length : records.length;
}

/** As the caller wrote the folder, so that the answer can be handed to another tool as it is. */
function shownPath(path: string, asked: string, base: string): string {
	if (asked === "." || asked === "./") return path;
	return posix.join(asked.startsWith("~") ? base : asked, path);
}

function refuse(request: SearchRequest, reason: string): FileRefused {
	return { ok: false, error: `Cannot search "${request.path}": ${reason}` };
}
