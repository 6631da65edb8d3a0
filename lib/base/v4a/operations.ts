/** What a patch asks for, whatever form it was written in. */

/** One line of a hunk, without its mark. */
export interface HunkLine {
	readonly kind: "context" | "removed" | "added";
	readonly text: string;
}

/** Lines that belong together: where they are, and what becomes of them. */
export interface Hunk {
	/** Of the patch, from 1. */
	readonly lineNumber: number;
	/** Lines that stand before the hunk, each one after the one before it. */
	readonly hints: readonly string[];
	/** Line of the old file, from 1, at which the hunk begins, where the patch says so. */
	readonly nearLine?: number;
	readonly lines: readonly HunkLine[];
	/** The hunk reaches the end of the file. */
	readonly isAtEnd: boolean;
	/** The new file has no line feed at its end. Known of diffs only. */
	readonly leavesOpenEnd?: boolean;
}

interface OperationBase {
	readonly path: string;
	/** Of the patch, from 1. */
	readonly lineNumber: number;
}

/** A file whose lines change. */
export interface Update extends OperationBase {
	readonly kind: "update";
	readonly hunks: readonly Hunk[];
	readonly moveTo?: string;
	/** The lines are the bytes of the file, and there is nothing to adapt: they come from a program. */
	readonly isVerbatim?: boolean;
}

/** What happens to one file. */
export type Operation =
	| Update
	| (OperationBase & { readonly kind: "add"; readonly content: string })
	| (OperationBase & { readonly kind: "delete" })
	| (OperationBase & { readonly kind: "move"; readonly to: string });

/** Why a patch cannot be read or applied. Logic keys on `code`; `message` is for the model. */
export interface Problem {
	readonly code: string;
	/** Of the patch, from 1. */
	readonly lineNumber: number;
	readonly message: string;
}

/** What a patch asks for, or why it cannot be read. */
export type ParsedPatch =
	| { readonly ok: true; readonly operations: readonly Operation[] }
	| { readonly ok: false; readonly problems: readonly Problem[] };

/** All paths of an operation. */
export function pathsOf(operation: Operation): string[] {
	if (operation.kind === "move") return [operation.path, operation.to];
	const moveTo = operation.kind === "update" ? operation.moveTo : undefined;
	return moveTo === undefined ? [operation.path] : [operation.path, moveTo];
}

/** What is wrong with a path that a patch names; undefined when nothing is. */
export function pathProblem(path: string, lineNumber: number): Problem | undefined {
	if (path === "") return { code: "empty_path", lineNumber, message: "the header names no path" };
	if (path.includes("\0")) return { code: "bad_path", lineNumber, message: "a path cannot hold a NUL character" };
	// The text of a patch may come from anywhere.
	return path.split("/").includes("..")
		? { code: "path_escapes", lineNumber, message: `"${path}" has a .. in it; name the file without` }
		: undefined;
}
