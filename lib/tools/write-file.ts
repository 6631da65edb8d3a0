/** The tool that writes a whole file. */

import { z } from "zod";
import { writeFile } from "../files/write.ts";
import { defineTool, toolError, toolResult } from "../registry/tool.ts";
import { askedPath, crossProfile, filePath } from "./arguments/file-arguments.ts";
import { wholeText } from "./arguments/program-text.ts";

export default defineTool({
	name: "write_file",
	toolset: "file",
	loop: { isConfined: true },
	showsFiles: true,
	description:
		"Write a whole file, replacing what is there; missing folders are made. Use it instead of echo or a here-document. To change a part of a file use patch.",
	args: z.object({
		path: filePath,
		content: wholeText("a text").describe("The whole content of the file; an empty text empties it"),
		cross_profile: crossProfile,
	}),

	approval: ({ path }, { cwd }) => ({ kind: "write", path: askedPath(path, cwd) }),
	edits: ({ path }, { cwd }) => [askedPath(path, cwd)],

	async run({ path, content, cross_profile }, context) {
		const write = () => writeFile({ ...context, crossProfile: cross_profile }, path, content);
		const place = `${context.ranOn}:${askedPath(path, context.cwd)}`;
		const written = await (context.fileState === undefined ? write() : context.fileState.inTurn([place], write));
		if (!written.ok) return toolError(written.error, { ...written.details, ran_on: context.ranOn });
		return toolResult({
			bytes_written: written.bytesWritten,
			dirs_created: written.dirsCreated,
			resolved_path: written.path,
			files_modified: [written.path],
			ran_on: context.ranOn,
			lint: written.check,
			_warning: written.warning,
		});
	},
});
