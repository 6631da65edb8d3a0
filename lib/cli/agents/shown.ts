/** Delegations as a person reads them. */

import type { ChildReport, DelegationStatus } from "../../registry/delegation.ts";
import { printable, visible } from "../runtime/paint.ts";

/** A delegation, and the session that it belongs to. */
export type ListedDelegation = DelegationStatus & { readonly session_id: string };

/** One line a delegation, and one for each of its children. */
export function listText(delegations: readonly ListedDelegation[]): string {
	if (delegations.length === 0) return "No sub-agents have worked yet\n";
	return delegations.map((one) => `${headOf(one)}${one.children.map(childLine).join("")}`).join("");
}

/** The same with what the children have reported. */
export function statusText(delegation: ListedDelegation): string {
	return `${headOf(delegation)}${delegation.children.map((child) => `${childLine(child)}${detailsOf(child)}`).join("")}`;
}

function headOf({ delegation_id, status, started_at, duration_seconds, session_id }: ListedDelegation): string {
	return `${delegation_id}  ${status.padEnd(9)}  ${started_at.slice(0, 19)}Z  ${duration_seconds} s  session ${session_id}\n`;
}

function childLine(child: ChildReport): string {
	const { task_index, status, api_calls, tool_calls, duration_seconds, tool_trace, goal, change } = child;
	const running = tool_trace.findLast((call) => call.status === "running");
	const now = status === "running" && running !== undefined ? ` in ${running.tool}` : "";
	// It waits for somebody to merge or discard it.
	const open = change?.state === "open" && status !== "running" ? ", has changes of its own" : "";
	const facts = `${duration_seconds} s, model calls: ${api_calls}, tool calls: ${tool_calls}${now}${open}`;
	return `  ${String(task_index).padStart(2)}  ${status.padEnd(11)}  ${visible(firstLine(goal))}  (${facts})\n`;
}

function firstLine(goal: string): string {
	const line = goal.split("\n", 1)[0] ?? "";
	return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function detailsOf(child: ChildReport): string {
	const { error, summary, partial, files_written, change, subagent_id, session_id, denied_calls, denied_toolsets } =
		child;
	return [
		[subagent_id, ...(session_id === undefined ? [] : [`session ${session_id}`])].join(", "),
		...(error === undefined ? [] : [`why: ${error}`]),
		...(denied_calls === undefined ? [] : [`calls without consent, which were denied: ${denied_calls}`]),
		...(denied_toolsets === undefined ? [] : [`it did not get: ${denied_toolsets.join("; ")}`]),
		...(summary === "" ? [] : [summary]),
		...(partial === undefined ? [] : [`said until then: ${partial}`]),
		...(files_written.length === 0 ? [] : [`files: ${files_written.join(", ")}`]),
		...(change === undefined ? [] : [`change (${change.state}) on ${change.branch ?? change.kind}: ${change.summary}`]),
	]
		.flatMap((text) => printable(text).split("\n"))
		.map((line) => `      ${line}\n`)
		.join("");
}
