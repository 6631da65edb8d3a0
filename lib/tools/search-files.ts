/** The tool that finds text in files, and files by name. */

import { z } from "zod";
import { type Found, type SearchRequest, search } from "../files/search.ts";
import { nameGlob } from "../files/search-globs.ts";
import { pageOfMatches, parseMatch } from "../files/search-records.ts";
import { defineTool, type ToolAnswer, type ToolContext, toolError, toolResult } from "../registry/tool.ts";
import { clamped, filePath } from "./arguments/file-arguments.ts";
import { programText } from "./arguments/program-text.ts";

interface Page {
	readonly offset: number;
	readonly limit: number;
	readonly context: number;
}

const targets = { content: "content", grep: "content", files: "files", find: "files" } as const;

export default defineTool({
	name: "search_files",
	toolset: "file",
	showsFiles: true,
	description:
		"Search file contents with a regular expression, or find files by name (target files, glob pattern). Use it instead of grep, rg, find or ls. Hidden files and folders are left out. limit and offset page through the results.",
	args: z.object({
		pattern: programText("a pattern").describe("Regular expression for contents; glob or part of the name for files"),
		target: z
			.enum(["content", "files", "grep", "find"])
			.default("content")
			.describe("content (or grep): search inside files; files (or find): search file names"),
		path: filePath.default("."),
		file_glob: programText("a file name pattern")
			.optional()
			.describe("Only files like this, such as *.py or *.{ts,tsx}"),
		limit: clamped({ min: 1, max: 1_000, default: 50 }).describe("Results at once"),
		offset: clamped({ min: 0, default: 0 }).describe("Results to skip"),
		output_mode: z
			.enum(["content", "files_only", "count"])
			.default("content")
			.describe("content: matching lines; files_only: names of files with a match; count: matches per file"),
		context: clamped({ min: 0, max: 20, default: 0 }).describe("Lines to show around each match"),
	}),
	readOnly: true,

	async run({ pattern, target, path, file_glob: glob, output_mode: mode, ...page }, context) {
		const isNames = targets[target] === "files";
		const request: SearchRequest = {
			mode: isNames ? "names" : mode,
			pattern: isNames ? "" : pattern,
			path,
			glob: isNames ? nameGlob(pattern) : glob,
			wanted: page.offset + page.limit + 1,
			context: page.context,
		};
		const found = await search(context, request);
		if (!found.ok) return toolError(found.error, { ...found.details, ran_on: context.ranOn });
		const { total, ...shown } = answerOf(found, request, page);
		const isTruncated = found.timedOut || found.isCut || total > page.offset + page.limit;
		const answer = {
			total_count: total,
			...shown,
			truncated: isTruncated || undefined,
			more: isTruncated || undefined,
			limit_reason: found.timedOut ? "search_timeout" : undefined,
			ran_on: context.ranOn,
			_hint: hintOf(found, { total, isTruncated, next: page.offset + page.limit }),
		};
		return unlessInCircles(context, { ...request, ...page }, answer);
	},
});

/** A model that searches for the same and finds the same is told so at the third time, and refused from the fourth on. */
function unlessInCircles(
	{ fileState, sessionId, isScript, ranOn }: ToolContext,
	call: SearchRequest & Page,
	answer: Readonly<Record<string, unknown>>,
): ToolAnswer {
	const times = isScript ? 1 : fileState?.pages.inARow(sessionId, JSON.stringify(call), JSON.stringify(answer));
	if (times === undefined || times < 3) return toolResult(answer);
	if (times === 3)
		return toolResult({ ...answer, _warning: "This is the third time in a row that this search finds the same" });
	const message = `BLOCKED: this search has found the same ${times} times in a row, and searching again brings nothing new. Go on with what you have, or search for something else.`;
	return toolError(message, { pattern: call.pattern, already_searched: times, ran_on: ranOn });
}

function answerOf(found: Found, { mode }: SearchRequest, page: Page): { total: number } & Record<string, unknown> {
	if (mode === "content") return matchesOf(found, page);
	const end = page.offset + page.limit;
	if (mode === "count") {
		const shown = found.records.slice(page.offset, end).map(({ path, rest }) => [found.show(path), Number(rest)]);
		return { total: found.records.length, counts: Object.fromEntries(shown) };
	}
	const shown = found.records.slice(page.offset, end).map(({ path }) => found.show(path));
	return { total: found.records.length, files: shown };
}

function matchesOf(found: Found, page: Page): { total: number; matches: unknown[] } {
	const entries = found.records.flatMap((record) => parseMatch(record) ?? []);
	const { shown, total } = pageOfMatches(entries, page);
	const matches = shown.map(({ path, line, content, isContext }) => ({
		path: found.show(path),
		line,
		content,
		...(isContext && { context: true }),
	}));
	return { total, matches };
}

function hintOf(found: Found, page: { total: number; isTruncated: boolean; next: number }): string | undefined {
	if (found.timedOut)
		return "The search took too long and was stopped: this is what it had found by then; search a smaller folder or use file_glob";
	if (found.isCut) return `There are more results than total_count says; go on with offset ${page.next}`;
	if (page.isTruncated) return `There are ${page.total} results; go on with offset ${page.next}`;
	if (page.total > 0) return undefined;
	return "Nothing found. Hidden files and folders, and files that .gitignore names, are not searched; name such a folder in path to search it";
}
