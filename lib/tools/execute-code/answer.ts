/** From a script that ran to what the model reads of it. */

import type { MadeCall } from "../../rpc/call-desk.ts";
import type { RanScript } from "../../rpc/run-script.ts";
import { hintFor } from "./hints.ts";

/** What is known besides. */
export interface AnswerFacts {
	readonly seconds: number;
	readonly timeoutSeconds: number;
	/** The user interrupted. */
	readonly isUser: boolean;
}

/** Calls that an error shows, the last ones. */
const shownCalls = 10;

/** The fields of the answer. */
export function answerOf(ran: RanScript, facts: AnswerFacts): Record<string, unknown> {
	const status = statusOf(ran);
	const { output, error } = textsOf(ran, facts);
	const isSuccess = status === "success";
	return {
		status,
		output,
		...(error !== undefined && { error }),
		...(!isSuccess && { hint: hintFor(ran), calls: shownCallsOf(ran.calls) }),
		tool_calls_made: ran.callCount,
		duration_seconds: facts.seconds,
		language: ran.language === "python" ? undefined : ran.language,
		ran_on: ran.ranOn,
	};
}

function statusOf({ ended, exitCode }: RanScript): string {
	if (ended === "timed_out") return "timeout";
	if (ended === "interrupted") return "interrupted";
	return exitCode === 0 ? "success" : "error";
}

/** An empty output makes models answer nothing: what happened is said there, too (#10807). */
function textsOf(ran: RanScript, facts: AnswerFacts): { readonly output: string; readonly error?: string } {
	const { ended, exitCode, output, errors } = ran;
	const withErrors = [output.trimEnd(), errors.trim() && `--- stderr ---\n${errors.trim()}`].filter(Boolean).join("\n");
	if (ended === "timed_out") {
		const error = `Script timed out after ${facts.timeoutSeconds}s and was killed`;
		return { error, output: lines(withErrors, `⏰ ${error}`) };
	}
	if (ended === "interrupted") {
		const why = facts.isUser ? "user sent a new message" : (ran.reason ?? "the sandbox ended it");
		return { error: `Script was interrupted: ${why}`, output: lines(withErrors, `[execution interrupted — ${why}]`) };
	}
	if (exitCode !== 0) {
		return { error: errors.trim() || `Script exited with code ${exitCode}`, output: withErrors };
	}
	// Logging goes to standard error; a script that says nothing else is not to look as if it had said nothing.
	return { output: output.trim() === "" ? withErrors : output };
}

function lines(...parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join("\n");
}

function shownCallsOf(calls: readonly MadeCall[]): string[] | undefined {
	if (calls.length === 0) return undefined;
	return calls
		.slice(-shownCalls)
		.map(({ tool, about, durationMs, isError }) => `${tool} ${about} ${durationMs} ms${isError ? " error" : ""}`);
}
