/** What is put to a policy or to a person before a call runs, and what comes back. */

import type { Danger } from "../commands/categories.ts";

/** What a call wants to do. */
export type ApprovalRequest =
	/** `cwd` is where the command would run, when that is known. */
	| { readonly kind: "command"; readonly command: string; readonly cwd?: string }
	/** `others`: further files that are written with it, all or none. */
	| { readonly kind: "write"; readonly path: string; readonly others?: readonly string[] }
	/** A program that can do whatever the user can; consent for the session means every script of it. */
	| { readonly kind: "script"; readonly language: string; readonly code: string }
	/** A change of the notes that last over sessions; `text` is all of it. */
	| { readonly kind: "note"; readonly target: string; readonly text: string };

/**
 * `session` is this exact command in this folder, this exact path, or every script, until the session ends; `always` is the
 * same in later sessions, and no more than `session` where nothing can be saved.
 */
export type ApprovalChoice = "once" | "session" | "always" | "deny";

/** One question to a person. Whoever answers from afar names its `id`: an answer to another question counts as none. */
export interface ApprovalQuestion {
	readonly id: string;
	/** Why it is asked; never empty. */
	readonly dangers: readonly Danger[];
	/** What can be answered besides `deny`. */
	readonly choices: readonly ApprovalChoice[];
	/** Aborts when the time for an answer is over. */
	readonly signal: AbortSignal;
}

/** An answer, with the question it belongs to where that can be in doubt. */
export type ApprovalAnswer = ApprovalChoice | { readonly id: string; readonly choice: ApprovalChoice };

/** All files that a request names. */
export function filesOf({ path, others = [] }: Extract<ApprovalRequest, { kind: "write" }>): readonly string[] {
	return [path, ...others];
}
