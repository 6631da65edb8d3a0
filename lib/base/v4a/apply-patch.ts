/** A whole patch, tried on a picture of the files: what would become of each, or everything that is against it. */

import { applyHunks } from "./apply-hunks.ts";
import type { Operation, Problem, Update } from "./operations.ts";

/** A file as it is. Without `text` it is no text, and can only be deleted or moved. */
export interface PatchFile {
	readonly text?: string;
}

/** What becomes of one file. Texts are missing where the file is none. */
export type FileChange =
	| { readonly kind: "create"; readonly path: string; readonly after: string }
	| { readonly kind: "modify"; readonly path: string; readonly before: string; readonly after: string }
	| { readonly kind: "delete"; readonly path: string; readonly before?: string }
	| {
			readonly kind: "move";
			readonly from: string;
			readonly path: string;
			readonly before?: string;
			readonly after?: string;
	  };

/** What becomes of the files, or everything that stands against it. */
export type PatchPlan =
	| { readonly ok: true; readonly changes: readonly FileChange[]; readonly done: number }
	| { readonly ok: false; readonly problems: readonly Problem[] };

/** A file in the picture; `origin` is where it was before the patch. */
interface Pictured extends PatchFile {
	readonly origin?: string;
}

/**
 * Applies `operations` in their order to a picture of `files`, which holds every path they name that exists. Nothing is
 * written; the changes are those between the files and the picture at the end.
 */
export function planPatch(operations: readonly Operation[], files: ReadonlyMap<string, PatchFile>): PatchPlan {
	const picture = new Map<string, Pictured>([...files].map(([path, file]) => [path, { ...file, origin: path }]));
	const problems: Problem[] = [];
	let done = 0;
	for (const operation of operations) {
		const result = apply(operation, picture);
		if (typeof result === "number") done += result;
		else problems.push(...result);
	}
	if (problems.length > 0) return { ok: false, problems };
	return { ok: true, changes: changesBetween(files, picture), done };
}

/** How many hunks were applied before, or what is wrong. */
function apply(operation: Operation, picture: Map<string, Pictured>): number | readonly Problem[] {
	const { kind, path, lineNumber } = operation;
	const file = picture.get(path);
	const problem = (code: string, message: string) => [{ code, lineNumber, message: `"${path}": ${message}` }];
	if (kind === "add") {
		if (file !== undefined) return problem("add_exists", "it exists already; update it, or delete it first");
		picture.set(path, { text: operation.content });
		return 0;
	}
	if (file === undefined) {
		const code = { update: "file_missing", delete: "delete_missing", move: "move_missing" }[kind];
		return problem(code, "there is no such file");
	}
	if (kind === "delete") {
		picture.delete(path);
		return 0;
	}
	const to = kind === "move" ? operation.to : operation.moveTo;
	if (to !== undefined && to !== path && picture.has(to))
		return problem("move_exists", `"${to}" exists already; delete it first`);
	const updated = kind === "update" ? update(operation, file) : { file, done: 0 };
	if ("problems" in updated) return updated.problems;
	picture.delete(path);
	picture.set(to ?? path, updated.file);
	return updated.done;
}

function update(
	operation: Update,
	file: Pictured,
): { file: Pictured; done: number } | { problems: readonly Problem[] } {
	if (file.text === undefined) {
		const message = `"${operation.path}": it is not text; change it with the terminal tool`;
		return { problems: [{ code: "not_text", lineNumber: operation.lineNumber, message }] };
	}
	const applied = applyHunks(file.text, operation);
	return applied.ok ? { file: { ...file, text: applied.text }, done: applied.done } : applied;
}

function changesBetween(files: ReadonlyMap<string, PatchFile>, picture: ReadonlyMap<string, Pictured>): FileChange[] {
	const moved = new Set<string>();
	const changes: FileChange[] = [];
	for (const [path, { text, origin }] of picture) {
		const change = changeOf(path, { text, origin }, files);
		if (change?.kind === "move") moved.add(change.from);
		if (change !== undefined) changes.push(change);
	}
	for (const [path, { text }] of files) {
		if (!picture.has(path) && !moved.has(path))
			changes.push({ kind: "delete", path, ...(text !== undefined && { before: text }) });
	}
	return changes;
}

function changeOf(
	path: string,
	{ text, origin }: { readonly text: string | undefined; readonly origin: string | undefined },
	files: ReadonlyMap<string, PatchFile>,
): FileChange | undefined {
	const before = files.get(path)?.text;
	if (origin !== undefined && origin !== path) {
		const old = files.get(origin)?.text;
		return {
			kind: "move",
			from: origin,
			path,
			...(old !== undefined && { before: old }),
			...(text !== undefined && { after: text }),
		};
	}
	if (text === undefined || text === before) return undefined;
	// A file that was deleted and added again is a changed one.
	return before === undefined ? { kind: "create", path, after: text } : { kind: "modify", path, before, after: text };
}
