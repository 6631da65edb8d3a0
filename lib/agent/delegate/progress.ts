/** What a child has done so far, read off its events into its report, so that something is known of it whenever it ends. */

import type { ChildReport, DelegatedTask } from "../../registry/delegation.ts";
import type { AgentEvent, TurnFinished } from "../events.ts";

/** Calls and characters that a report remembers; the latest ones. */
const mostCalls = 40;
const mostPartial = 4_000;

/** The report of a child that waits for its turn. */
export function queuedReport(index: number, id: string, { goal }: DelegatedTask): ChildReport {
	return {
		task_index: index,
		subagent_id: id,
		goal,
		role: "leaf",
		status: "queued",
		summary: "",
		api_calls: 0,
		duration_seconds: 0,
		model: "",
		tokens: { input: 0, output: 0 },
		tool_trace: [],
		tool_calls: 0,
		files_written: [],
	};
}

/** Reads events into `report`; gives whether the child has come further, not just said one more word of an answer. */
export function followEvents(report: ChildReport): (event: AgentEvent) => boolean {
	const running = new Map<string, ChildReport["tool_trace"][number]>();
	return (event) => {
		switch (event.type) {
			case "assistant_message":
				report.api_calls++;
				if (event.text.trim() !== "") report.partial = ending(`${report.partial ?? ""}\n\n${event.text}`);
				return true;
			case "tool_started": {
				const args_bytes = Buffer.byteLength(event.arguments);
				const call = { tool: event.name, args_bytes, result_bytes: 0, status: "running" as const };
				running.set(event.id, call);
				report.tool_calls++;
				report.tool_trace = [...report.tool_trace, call].slice(-mostCalls);
				return true;
			}
			case "tool_finished": {
				const call = running.get(event.id);
				running.delete(event.id);
				if (call === undefined) return true;
				call.status = event.is_error || event.denied ? "error" : "ok";
				call.result_bytes = Buffer.byteLength(event.result);
				return true;
			}
			case "tool_output":
				return true;
			default:
				return false;
		}
	};
}

/** Why the engine itself has ended a child. */
export interface Stopped {
	readonly kind: "timeout" | "stalled";
	readonly why: string;
}

/** How the turn ended, in the words of a report. */
export function takeInEnd(report: ChildReport, finished: TurnFinished, stopped: Stopped | undefined): void {
	report.api_calls = Math.max(report.api_calls, finished.model_calls);
	if (finished.denied_calls > 0) report.denied_calls = finished.denied_calls;
	Object.assign(report, outcomeOf(finished, stopped));
	if (report.status === "completed") delete report.partial;
}

function outcomeOf({ ended, text, error }: TurnFinished, stopped: Stopped | undefined): Partial<ChildReport> {
	if (ended === "interrupted") {
		const kind = stopped?.kind ?? "interrupted";
		return { status: kind, exit_reason: kind, ...(stopped && { error: stopped.why }) };
	}
	if (ended === "failed") return { status: "failed", exit_reason: "error", error: error ?? "The turn failed" };
	const summary = text.trim();
	const exit_reason = ended === "answered" ? "completed" : "max_iterations";
	return summary === ""
		? { status: "failed", exit_reason, error: "It ended without a report" }
		: { status: "completed", exit_reason, summary };
}

/** The name of the tool that runs now. */
export function runningTool({ tool_trace }: ChildReport): string | undefined {
	return tool_trace.findLast(({ status }) => status === "running")?.tool;
}

function ending(text: string): string {
	const trimmed = text.trim();
	// Whole words: half of a secret is none that anybody would know again, and mask.
	return trimmed.length > mostPartial ? `…${trimmed.slice(1 - mostPartial).replace(/^\S{1,300}\s/, "")}` : trimmed;
}
