/** The tool that changes a part of a file. */

import { z } from "zod";
import { patchFile } from "../files/patch.ts";
import { defineTool, toolError, toolResult } from "../registry/tool.ts";
import { askedPath, filePath } from "./arguments/file-arguments.ts";

export default defineTool({
	name: "patch",
	toolset: "file",
	description:
		"Replace a text in a file. old_string must be in the file exactly once, without line numbers; give enough lines around the change to make it unique, or set replace_all. Use it instead of sed.",
	args: z.object({
		mode: z.enum(["replace"]).default("replace"),
		path: filePath,
		old_string: z.string().describe("The text to replace, exactly as it is in the file"),
		new_string: z.string().describe("What takes its place; an empty text deletes"),
		replace_all: z.boolean().default(false).describe("Replace every occurrence"),
	}),

	approval: ({ path }, { cwd }) => ({ kind: "write", path: askedPath(path, cwd) }),

	async run({ path, old_string: oldText, new_string: newText, replace_all: replaceAll }, context) {
		const patched = await patchFile(context, { path, oldText, newText, replaceAll });
		if (!patched.ok) return toolError(patched.error, { success: false, ...patched.details, ran_on: context.ranOn });
		return toolResult({
			success: true,
			diff: patched.diff,
			replacements: patched.count,
			files_modified: [patched.path],
			resolved_path: patched.path,
			ran_on: context.ranOn,
		});
	},
});
