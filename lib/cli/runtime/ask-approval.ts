/** Asks the person at the terminal whether a call may run. */

import { type ApprovalChoice, type ApprovalRequest, filesOf } from "../../security/approval.ts";
import { visible } from "./paint.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/** `y` is once, `a` is this exact command or path for the session, everything else is a no. Scripts are asked about once. */
export async function askApproval(
	request: ApprovalRequest,
	terminal: TerminalLines,
	signal: AbortSignal,
): Promise<ApprovalChoice> {
	const isScript = request.kind === "script";
	const choices = isScript
		? "[y]es, and later scripts of this session / [o]nly this one / [N]o"
		: "[y]es / [N]o / [a]lways";
	const prompt = `Allow? ${describe(request)}\n  ${choices}: `;
	const answer = (await terminal.ask(prompt, { signal, fresh: true }))?.trim().toLowerCase();
	if (isScript && (answer === "o" || answer === "only")) return "once";
	if (answer === "y" || answer === "yes") return isScript ? "always" : "once";
	return answer === "a" || answer === "always" ? "always" : "deny";
}

/** Everything that would run is shown: what is hidden cannot be agreed to. */
function describe(request: ApprovalRequest): string {
	if (request.kind === "script") {
		const code = visible(request.code).trimEnd().replaceAll("\n", "\n       ");
		return `a ${request.language} script, which can do whatever you can:\n       ${code}`;
	}
	if (request.kind === "write") return `write ${filesOf(request).map(visible).join("\n       ")}`;
	if (request.kind === "note") return `note about ${request.target}: ${visible(request.text)}`;
	return visible(request.command).replaceAll("\n", "\n       ");
}
