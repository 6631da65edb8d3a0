/** The tool that shows a page of a text file. */

import { z } from "zod";
import { type ReadPage, readPage, type UnchangedPage } from "../files/read.ts";
import { unchangedMessage } from "../files/shown-pages.ts";
import { defineTool, type ToolAnswer, type ToolContext, toolError, toolResult } from "../registry/tool.ts";
import { clamped, filePath } from "./arguments/file-arguments.ts";

const mostLines = 2_000;
const defaultLines = 500;
/** From this size on a page of many lines is rarely what was wanted. */
const largeFileBytes = 512_000;

export default defineTool({
	name: "read_file",
	toolset: "file",
	showsFiles: true,
	description:
		"Read a text file with line numbers (N|text). Use it instead of cat, head or tail. offset and limit page through long files; at most 2,000 lines and 100,000 characters at once, longer lines are cut after 2,000 characters. Notebooks (.ipynb), .docx and .xlsx are shown as text.",
	args: z.object({
		path: filePath,
		offset: clamped({ min: 1, default: 1 }).describe("First line to show, from 1"),
		limit: clamped({ min: 1, max: mostLines, default: defaultLines }).describe("Number of lines, at most 2000"),
	}),
	// The page has its own limit; cutting it again would hide lines without saying which.
	resultLimit: 700_000,
	isPaged: true,
	readOnly: true,

	async run({ path, offset, limit: asked }, context) {
		const { settings, ranOn } = context;
		const limit = Math.min(asked, settings?.get("tool_output.max_lines") ?? mostLines);
		const limits = settings && {
			page: settings.get("file_read_max_chars"),
			line: settings.get("tool_output.max_line_length"),
		};
		const page = await readPage(context, { path, offset, limit, ...(limits && { limits }) });
		if (!page.ok) return toolError(page.error, { ...page.details, ran_on: ranOn });
		return "repeats" in page ? unchanged(page, context) : pageAnswer(page, { offset, limit }, context);
	},
});

function pageAnswer(
	page: ReadPage,
	{ offset, limit }: { readonly offset: number; readonly limit: number },
	{ ranOn }: ToolContext,
): ToolAnswer {
	const last = Math.min(page.totalLines, offset + limit - 1);
	return toolResult({
		content: page.content,
		total_lines: page.totalLines,
		file_size: page.fileSize,
		truncated: page.isTruncated,
		is_binary: false,
		is_image: false,
		extracted_document: page.isExtracted || undefined,
		ran_on: ranOn,
		hint: hintOf({ offset, last, total: page.totalLines, isTruncated: page.isTruncated }),
		_hint:
			page.isTruncated && page.fileSize > largeFileBytes && limit > 200
				? "This file is large; read a narrower range, or find the place with search_files"
				: undefined,
		encoding: page.encoding === "utf-8" ? undefined : page.encoding,
		_warning:
			page.encoding === "latin-1"
				? "The file is not UTF-8 and is shown as Latin-1, byte by byte; a change of it keeps its encoding"
				: undefined,
	});
}

/** A model that asks for the same page once more is told so, and then refused: some read it for ever. */
function unchanged({ path, repeats }: UnchangedPage, { ranOn }: ToolContext): ToolAnswer {
	if (repeats > 1) {
		const message = `BLOCKED: you have these lines of the file already, and it has not changed; reading them again brings nothing new. Go on with what you have, or read other lines.`;
		return toolError(message, { path, already_read: repeats + 1, ran_on: ranOn });
	}
	return toolResult({
		status: "unchanged",
		message: unchangedMessage,
		path,
		dedup: true,
		content_returned: false,
		ran_on: ranOn,
	});
}

function hintOf(page: { offset: number; last: number; total: number; isTruncated: boolean }): string | undefined {
	if (page.total === 0) return "The file is empty";
	if (page.offset > page.total) return `The file has ${page.total} lines; offset ${page.offset} is past its end`;
	return page.isTruncated
		? `Showing lines ${page.offset}-${page.last} of ${page.total}; go on with offset ${page.last + 1}`
		: undefined;
}
