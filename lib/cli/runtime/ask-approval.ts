/** Asks the person at the terminal whether a call may run. */

import {
	type ApprovalAnswer,
	type ApprovalChoice,
	type ApprovalQuestion,
	type ApprovalRequest,
	filesOf,
} from "../../security/approval/request.ts";
import { describeDangers } from "../../security/approval/texts.ts";
import { visible } from "./paint.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/**
 * `y` is once, `s` for the session, `a` for good where that is offered; everything else is a no. `y` to a script counts for
 * the session, since scripts are asked about as a kind.
 */
export async function askApproval(
	{ request, question }: { readonly request: ApprovalRequest; readonly question: ApprovalQuestion },
	terminal: TerminalLines,
	signal: AbortSignal,
): Promise<ApprovalAnswer> {
	const prompt = `${consentQuestion(request, question)}\n  ${choicesOf(request, question)}: `;
	const until = AbortSignal.any([signal, question.signal]);
	const answer = (await terminal.ask(prompt, { signal: until, fresh: true }))?.trim().toLowerCase() ?? "";
	return { id: question.id, choice: request.kind === "script" ? scriptChoice(answer) : choiceOf(answer) };
}

/** What would run, all of it, and why it needs consent. */
export function consentQuestion(request: ApprovalRequest, question: Pick<ApprovalQuestion, "dangers">): string {
	return `Allow? ${describe(request)}\n${reasonOf(request, question)}`.trimEnd();
}

function choicesOf({ kind }: ApprovalRequest, { choices }: ApprovalQuestion): string {
	if (kind === "script") return "[y]es, and later scripts of this session / [o]nly this one / [N]o";
	return `[y]es / [N]o / [s]ession${choices.includes("always") ? " / [a]lways" : ""}`;
}

function choiceOf(answer: string): ApprovalChoice {
	if (answer === "y" || answer === "yes") return "once";
	if (answer === "s" || answer === "session") return "session";
	return answer === "a" || answer === "always" ? "always" : "deny";
}

function scriptChoice(answer: string): ApprovalChoice {
	if (answer === "o" || answer === "only") return "once";
	return answer === "y" || answer === "yes" ? "session" : "deny";
}

/** What a script or a note is shows by itself. */
function reasonOf({ kind }: ApprovalRequest, { dangers }: Pick<ApprovalQuestion, "dangers">): string {
	return kind === "command" || kind === "write" ? `  It ${describeDangers(dangers)}.\n` : "";
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
