/** Searching file contents and file names. */

import { posix } from "node:path";
import { type HomeFolders, readRefusal } from "../security/path-safety.ts";
import { grepPattern } from "./grep-pattern.ts";
import { type Located, locatedIn } from "./located.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { runScript, type ScriptAnswer } from "./run-script.ts";
import { searchScript } from "./scripts/search-script.ts";
import { fitsGlobs, globsOf } from "./search-globs.ts";
import { withoutDot } from "./search-lines.ts";
import { similarNames } from "./similar-names.ts";

export interface SearchRequest {
	/** `names` looks for files whose names fit `globs`; the others look for `pattern` in contents. */
	readonly mode: "content" | "files_only" | "count" | "names";
	readonly pattern: string;
	readonly path: string;
	/** File name patterns; empty for every file that is not hidden. */
	readonly glob: string | undefined;
	/** Lines of output that are enough. */
	readonly mostLines: number;
	readonly context: number;
	/** `grep` leaves ripgrep out even where it is installed. */
	readonly program?: "auto" | "grep";
}

export interface Found {
	readonly ok: true;
	/** One per match, file or count, as the program printed them, paths relative to the searched folder. */
	readonly lines: readonly string[];
	readonly timedOut: boolean;
	/** Files that `.gitignore` names were left out. */
	readonly respectsIgnoreFiles: boolean;
	/** The path of a line as the caller should see it. */
	show(path: string): string;
	/** The file may not be shown. */
	isHidden(path: string): boolean;
}

const searchSeconds = 60;
const answerBytes = 16 * 1024 * 1024;
/** Where names are filtered afterwards, more lines are needed to fill a page. */
const linesBeforeFilter = 20_000;

/** Searches in one process, started in the folder of `request.path`. Hidden files and folders are left out. */
export async function search(place: FilePlace, request: SearchRequest): Promise<Found | FileRefused> {
	const parsed = request.glob === undefined ? { globs: [] } : globsOf(request.glob);
	if ("reason" in parsed) return refuse(request, `"${request.glob}" is no file name pattern: ${parsed.reason}`);
	if (request.pattern.includes("\n"))
		return refuse(request, "the search goes line by line and the pattern holds a line end");
	const filtersLater = parsed.globs.some((glob) => glob.includes("/"));
	const answer = await runScript(place, {
		script: searchScript,
		args: [
			request.mode,
			request.path,
			request.pattern,
			grepPattern(request.pattern),
			String(filtersLater ? linesBeforeFilter : request.mostLines),
			String(request.context),
			request.program ?? "auto",
			...parsed.globs,
		],
		answerBytes,
		timeoutSeconds: searchSeconds,
	});
	return refusalOf(answer, request) ?? foundIn(answer, request, parsed.globs);
}

function refusalOf(answer: ScriptAnswer, request: SearchRequest): FileRefused | undefined {
	const { fields, timedOut } = answer;
	const located = locatedIn({ fields, timedOut: timedOut && !fields.has("kind") }, request.path);
	if (located.kind === "missing") return missing(located, request);
	if (located.kind === "unresolved" || located.kind === "other")
		return refuse(request, "it is neither a folder nor a file");
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
		.filter((line) => line !== "" && !line.startsWith("find: "))
		.join("; ")
		.slice(0, 500);
}

function foundIn({ fields, timedOut }: ScriptAnswer, request: SearchRequest, globs: readonly string[]): Found {
	const base = fields.get("path") ?? request.path;
	const isFile = fields.get("kind") === "file";
	const folders: HomeFolders = { home: fields.get("home") ?? "", hermesHome: fields.get("hermes_home") ?? "" };
	const lines = (fields.get("lines") ?? "").split("\n").filter((line) => line !== "");
	const filtersLater = !isFile && globs.some((glob) => glob.includes("/"));
	return {
		ok: true,
		lines: filtersLater ? lines.filter((line) => fitsGlobs(pathOfLine(line, request.mode), globs)) : lines,
		timedOut,
		respectsIgnoreFiles: fields.get("program") === "rg",
		show: (path) => (isFile ? request.path : shownPath(path, request.path, base)),
		isHidden: (path) => readRefusal(isFile ? base : posix.join(base, path), folders) !== undefined,
	};
}

function pathOfLine(line: string, mode: SearchRequest["mode"]): string {
	if (mode === "names" || mode === "files_only") return withoutDot(line);
	const end = mode === "content" ? line.search(/\0|:\d+:|-\d+-/) : line.lastIndexOf(":");
	return withoutDot(end < 0 ? line : line.slice(0, end));
}

/** As the caller wrote the folder, so that the answer can be handed to another tool as it is. */
function shownPath(path: string, asked: string, base: string): string {
	if (asked === "." || asked === "./") return path;
	return posix.join(asked.startsWith("~") ? base : asked, path);
}

function refuse(request: SearchRequest, reason: string): FileRefused {
	return { ok: false, error: `Cannot search "${request.path}": ${reason}` };
}
