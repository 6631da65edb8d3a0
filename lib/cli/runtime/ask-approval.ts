/** Asks the person at the terminal whether a call may run. */

import type { ApprovalChoice, ApprovalRequest } from "../../security/approval.ts";
import { visible } from "./paint.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/** `y` is once, `a` is this exact command or path for the session, everything else is a no. */
export async function askApproval(
	request: ApprovalRequest,
	terminal: TerminalLines,
	signal: AbortSignal,
): Promise<ApprovalChoice> {
	const prompt = `Allow? ${describe(request)}\n  [y]es / [N]o / [a]lways: `;
	const answer = (await terminal.ask(prompt, { signal, fresh: true }))?.trim().toLowerCase();
	if (answer === "y" || answer === "yes") return "once";
	return answer === "a" || answer === "always" ? "always" : "deny";
}

/** Everything that would run is shown: what is hidden cannot be agreed to. */
function describe(request: ApprovalRequest): string {
	if (request.kind === "write") return `write ${visible(request.path)}`;
	return visible(request.command).replaceAll("\n", "\n       ");
}
