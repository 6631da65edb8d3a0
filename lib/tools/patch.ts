/** The tool that changes parts of files: one text for another, or a patch over several files. */

import { z } from "zod";
import { type PatchRefused, patchFile } from "../files/patch.ts";
import { failureHint } from "../files/patch-failure.ts";
import { patchFiles, pathsInPatch } from "../files/patch-files.ts";
import type { FileRefused } from "../files/place.ts";
import { defineTool, type ToolAnswer, type ToolContext, toolError, toolResult } from "../registry/tool.ts";
import { askedPath, crossProfile, filePath } from "./arguments/file-arguments.ts";

/** Characters of the replaced text that an answer shows. */
const longestShown = 2_000;

const args = z.object({
	mode: z
		.enum(["replace", "patch"])
		.default("replace")
		.describe("replace: old_string by new_string in one file; patch: the changes in patch, over any number of files"),
	path: filePath.optional().describe("The file; only with mode replace"),
	old_string: z.string().optional().describe("The text to replace, exactly as it is in the file"),
	new_string: z.string().optional().describe("What takes its place; an empty text deletes"),
	replace_all: z.boolean().default(false).describe("Replace every occurrence"),
	patch: z
		.string()
		.optional()
		.describe(
			'For mode patch: "*** Begin Patch", then for each file "*** Update File: path" with hunks ("@@ line before the place", then lines that begin with a blank (kept), - or +), "*** Add File: path" with + lines, "*** Delete File: path" or "*** Move File: path -> path", then "*** End Patch"',
		),
	cross_profile: crossProfile,
});

type Args = z.output<typeof args>;

export default defineTool({
	name: "patch",
	toolset: "file",
	loop: { isConfined: true },
	showsFiles: true,
	description:
		"Change parts of files. mode replace: old_string must be in the file once, without line numbers; give enough lines around the change to make it unique, or set replace_all. Small differences in blanks, indents and quotes are overcome, and the answer says how. mode patch: a V4A patch or a git diff over any number of files, applied as a whole or not at all. Use it instead of sed.",
	args,

	approval: (call, { cwd }) => {
		const [path, ...others] = pathsOf(call).map((path) => askedPath(path, cwd));
		if (path === undefined) return undefined;
		return others.length === 0 ? { kind: "write", path } : { kind: "write", path, others };
	},

	edits: (call, { cwd }) => pathsOf(call).map((path) => askedPath(path, cwd)),

	run(call, context) {
		const locked = pathsOf(call).map((path) => `${context.ranOn}:${askedPath(path, context.cwd)}`);
		const change = () => (call.mode === "patch" ? applyPatch(call, context) : replace(call, context));
		return context.fileState === undefined ? change() : context.fileState.inTurn(locked, change);
	},
});

function pathsOf({ mode, path, patch }: Args): readonly string[] {
	if (mode === "patch") return pathsInPatch(patch ?? "");
	return path === undefined ? [] : [path];
}

async function replace(call: Args, context: ToolContext): Promise<ToolAnswer> {
	const { path, old_string: oldText, new_string: newText, replace_all: replaceAll } = call;
	if (path === undefined) return failed({ ok: false, error: "Cannot patch: path is missing" }, context);
	if (oldText === undefined || newText === undefined)
		return failed({ ok: false, error: "Cannot patch: old_string and new_string are both needed" }, context);
	const place = { ...context, crossProfile: call.cross_profile };
	const patched = await patchFile(place, { path, oldText, newText, replaceAll });
	if (!patched.ok) return replaceFailed(patched, context);
	context.fileState?.patchWorked(context.taskId, patched.path);
	if ("alreadyAt" in patched) {
		return toolResult({
			success: true,
			already_applied: true,
			_hint: `Nothing was changed: old_string is not in the file, and new_string already is, at line ${patched.alreadyAt}`,
			files_modified: [],
			resolved_path: patched.path,
			ran_on: context.ranOn,
		});
	}
	const isExact = patched.strategy === "exact";
	return toolResult({
		success: true,
		diff: patched.diff,
		replacements: patched.count,
		strategy: patched.strategy,
		similarity: isExact ? undefined : Number(patched.similarity.toFixed(3)),
		replaced: isExact ? undefined : patched.replaced.join("\n---\n").slice(0, longestShown).toWellFormed(),
		lint: patched.check,
		_warning: patched.warning,
		files_modified: [patched.path],
		resolved_path: patched.path,
		ran_on: context.ranOn,
	});
}

function replaceFailed(refused: PatchRefused, context: ToolContext): ToolAnswer {
	const { fileState, taskId } = context;
	const isMiss = refused.code === "not_found" || (refused.code === "ambiguous" && refused.error.includes("could not"));
	if (!isMiss || refused.path === undefined) return failed(refused, context);
	const failures = fileState?.patchFailed(taskId, refused.path) ?? 1;
	const hint = failureHint(failures, refused.error.includes("Did you mean"));
	return failed({ ...refused, details: { ...refused.details, ...(hint !== undefined && { _hint: hint }) } }, context);
}

async function applyPatch({ patch, cross_profile }: Args, context: ToolContext): Promise<ToolAnswer> {
	if (patch === undefined || patch.trim() === "")
		return failed({ ok: false, error: "Cannot patch: patch is missing" }, context);
	const result = await patchFiles({ ...context, crossProfile: cross_profile }, patch);
	if (!result.ok) return failed(result, context);
	const { modified, created, deleted, diff, done, checks, warnings } = result;
	for (const path of [...modified, ...created]) context.fileState?.patchWorked(context.taskId, path);
	const isNothing = modified.length + created.length + deleted.length === 0;
	return toolResult({
		success: true,
		diff,
		files_modified: modified,
		files_created: created,
		files_deleted: deleted,
		lint: Object.keys(checks).length === 0 ? undefined : checks,
		ran_on: context.ranOn,
		already_applied: done > 0 || undefined,
		_warning: warnings.length === 0 ? undefined : warnings.join(" | "),
		_hint: hintOf(done, isNothing),
	});
}

function hintOf(done: number, isNothing: boolean): string | undefined {
	if (done > 0)
		return `The new lines of ${done === 1 ? "1 hunk" : `${done} hunks`} were there already and were left alone`;
	return isNothing ? "Nothing was changed: the patch shows context only" : undefined;
}

function failed({ error, details }: FileRefused, { ranOn }: ToolContext): ToolAnswer {
	return toolError(error, { success: false, ...details, ran_on: ranOn });
}
