/** The tool that shows a page of a text file. */

import { z } from "zod";
import { readPage } from "../files/read.ts";
import { defineTool, toolError, toolResult } from "../registry/tool.ts";
import { clamped, filePath } from "./arguments/file-arguments.ts";

const mostLines = 2_000;
const defaultLines = 500;
/** From this size on a page of many lines is rarely what was wanted. */
const largeFileBytes = 512_000;

export default defineTool({
	name: "read_file",
	toolset: "file",
	description:
		"Read a text file with line numbers (N|text). Use it instead of cat, head or tail. offset and limit page through long files; at most 2,000 lines and 100,000 characters at once, longer lines are cut after 2,000 characters.",
	args: z.object({
		path: filePath,
		offset: clamped({ min: 1, default: 1 }).describe("First line to show, from 1"),
		limit: clamped({ min: 1, max: mostLines, default: defaultLines }).describe("Number of lines, at most 2000"),
	}),
	// The page has its own limit; cutting it again would hide lines without saying which.
	resultLimit: 700_000,
	isPaged: true,
	readOnly: true,

	async run({ path, offset, limit }, context) {
		const page = await readPage(context, { path, offset, limit });
		if (!page.ok) return toolError(page.error, { ...page.details, ran_on: context.ranOn });
		const last = Math.min(page.totalLines, offset + limit - 1);
		return toolResult({
			content: page.content,
			total_lines: page.totalLines,
			file_size: page.fileSize,
			truncated: page.isTruncated,
			is_binary: false,
			is_image: false,
			ran_on: context.ranOn,
			hint: hintOf({ offset, last, total: page.totalLines, isTruncated: page.isTruncated }),
			_hint:
				page.isTruncated && page.fileSize > largeFileBytes && limit > 200
					? "This file is large; read a narrower range, or find the place with search_files"
					: undefined,
			encoding: page.encoding === "utf-8" ? undefined : page.encoding,
			_warning:
				page.encoding === "latin-1"
					? "The file is not UTF-8 and is shown as Latin-1, byte by byte; patch keeps its encoding, write_file makes it UTF-8"
					: undefined,
		});
	},
});

function hintOf(page: { offset: number; last: number; total: number; isTruncated: boolean }): string | undefined {
	if (page.total === 0) return "The file is empty";
	if (page.offset > page.total) return `The file has ${page.total} lines; offset ${page.offset} is past its end`;
	return page.isTruncated
		? `Showing lines ${page.offset}-${page.last} of ${page.total}; go on with offset ${page.last + 1}`
		: undefined;
}
