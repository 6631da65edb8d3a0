/** What a consent is bound to: one danger of exactly this request, in this folder of this place. */

import type { Category, Danger } from "../commands/categories.ts";
import { withoutComments } from "../shell/comments.ts";
import { lexScript } from "../shell/lexer.ts";
import { NestedTooDeep } from "../shell/syntax.ts";
import { type ApprovalRequest, filesOf } from "./request.ts";

/** A consent that can be given. */
export interface ConsentKey {
	/** A hash; nothing can be told from its beginning. */
	readonly key: string;
	readonly category: Category;
	/** The command or path, for a person to read. */
	readonly subject: string;
}

/** All that has to be agreed to; files of one change are agreed to one by one, whatever they are changed with later. */
export function consentKeys(request: ApprovalRequest, dangers: readonly Danger[], place: string): ConsentKey[] {
	return subjectsOf(request).flatMap(({ subject, shape }) =>
		dangers.map(({ category }) => ({
			category,
			subject,
			key: hash([request.kind, place, "cwd" in request ? (request.cwd ?? "") : "", category, shape]),
		})),
	);
}

function subjectsOf(request: ApprovalRequest): { subject: string; shape: string }[] {
	switch (request.kind) {
		case "command":
			return [{ subject: request.command, shape: shapeOf(request.command) }];
		case "write":
			return filesOf(request).map((path) => ({ subject: path, shape: path }));
		case "note":
			return [{ subject: request.target, shape: JSON.stringify([request.target, request.text]) }];
		case "script":
			// The code of a script is not in it: consent for the session is for every script.
			return [{ subject: request.language, shape: "" }];
	}
}

/**
 * Two spellings that a shell reads in the same way are one shape: blanks and comments between words are not in it. The
 * reading tells which blanks are quoted; the text has what the reading leaves out, such as `%b` in `${a%b}`.
 */
function shapeOf(command: string): string {
	try {
		const text = withoutComments(command).replace(/[ \t]+/g, "");
		return JSON.stringify([lexScript(command), text.trim()]);
	} catch (cause) {
		if (cause instanceof NestedTooDeep) return command;
		throw cause;
	}
}

function hash(parts: readonly string[]): string {
	return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex");
}
