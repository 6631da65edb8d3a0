/** A command without what the shell does not read either. */

import { commentSpans } from "./lexer.ts";

/**
 * `command` without its comments; those inside quoted text and here-documents are data, and stay.
 * @throws {NestedTooDeep} When it cannot be read.
 */
export function withoutComments(command: string): string {
	let kept = "";
	let at = 0;
	for (const { start, end } of commentSpans(command)) {
		kept += command.slice(at, start);
		at = end;
	}
	return (kept + command.slice(at)).replace(/[ \t]+$/gm, "");
}
