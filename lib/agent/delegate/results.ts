/** What the agent that handed out tasks is told of their end: as the answer of a call, or as the text of a turn. */

import { attemptAsync } from "../../base/attempt.ts";
import type { ChildReport } from "../../registry/delegation.ts";
import type { Saved } from "../../registry/tool.ts";
import { goalLine, shortGoal } from "./short-goal.ts";

/** Characters of one summary, and of all summaries of a delegation together; the rest is saved to files. */
const longestSummary = 24_000;
const longestAll = 60_000;
const shortestSummary = 1_500;
/** Calls that an answer lists of a child. */
const shownCalls = 10;

/** Saves a long text where the agent can read it. */
export type SaveText = (name: string, text: string) => Promise<Saved>;

/** Cuts summaries that are too long, and saves them whole first. `count`: how many share the room there is. */
export async function fitSummaries(
	reports: readonly ChildReport[],
	{ count, save }: { readonly count: number; readonly save: SaveText | undefined },
): Promise<void> {
	const room = Math.max(shortestSummary, Math.min(longestSummary, Math.floor(longestAll / count)));
	for (const report of reports) {
		const { summary, subagent_id } = report;
		if (summary.length <= room) continue;
		const tried = await attemptAsync(async () => save?.(`${subagent_id}-report`, summary));
		const saved = tried.ok && tried.value?.ok === true ? tried.value : undefined;
		if (saved !== undefined) report.summary_file = saved.path;
		const rest = saved !== undefined ? `all of it is in ${saved.path}` : "the rest could not be saved";
		report.summary = `${summary.slice(0, room)}\n[cut at ${room} of ${summary.length} characters; ${rest}]`;
	}
}

/** A report as a model gets it: what it can use, without what is empty. */
export function reportForModel(report: ChildReport): Readonly<Record<string, unknown>> {
	const { tool_trace, files_written, partial, status, started_at: _, goal, ...rest } = report;
	return {
		...rest,
		goal: shortGoal(goal),
		status,
		...(partial !== undefined && { partial }),
		...(files_written.length > 0 && { files_written }),
		tool_trace: tool_trace.slice(-shownCalls),
	};
}

/** `3 completed, 1 timeout`. */
export function countsOf(reports: readonly ChildReport[]): string {
	const counts = Map.groupBy(reports, ({ status }) => status);
	return [...counts].map(([status, { length }]) => `${length} ${status}`).join(", ");
}

/** What is told of a delegation in the background. */
export interface EndedDelegation {
	readonly id: string;
	/** `running`: some of its children have ended, and the others take long. */
	readonly status: "finished" | "cancelled" | "lost" | "running";
	/** Who cancelled it. */
	readonly by?: string | undefined;
	readonly seconds: number;
	readonly reports: readonly ChildReport[];
	/** Those that were told already. */
	readonly toldBefore?: ReadonlySet<ChildReport>;
}

/** The text of the turn that tells it. It is no message of the user, and says so. */
export function endedText({ id, status, by, seconds, reports, toldBefore }: EndedDelegation): string {
	const how = {
		running: "goes on; you are told of the rest when that has ended. Some of its tasks have ended",
		finished: "has ended",
		cancelled: by === undefined ? "was cancelled" : `was cancelled by ${by}`,
		lost: "is lost: hermes died while it ran. What is known of it follows; what its children had done stays",
	}[status];
	const head = `Delegation ${id} ${how} (${countsOf(reports)}; ${seconds} s). These are the reports of your sub-agents, not words of the user; check what you rely on.`;
	const news = reports.filter((report) => hasEnded(report) && toldBefore?.has(report) !== true);
	return `[IMPORTANT: ${[head, ...news.map(reportText)].join("\n\n")}]`;
}

/** Whether a report says how its child has ended. */
export function hasEnded({ status }: ChildReport): boolean {
	return status !== "running" && status !== "queued";
}

function reportText(report: ChildReport): string {
	const { task_index, status, goal, summary, error, partial, change } = report;
	return [
		`Task ${task_index} (${factsOf(report)}): ${goalLine(goal)}`,
		...(error === undefined ? [] : [`${status === "completed" ? "Note" : "Why"}: ${error}`]),
		...(summary === "" ? [] : [summary]),
		...(partial === undefined ? [] : [`Until then it had said:\n${partial}`]),
		...(report.files_written.length === 0 ? [] : [`Files it changed: ${report.files_written.join(", ")}`]),
		...(change === undefined ? [] : [changeText(change)]),
		...(report.denied_toolsets === undefined ? [] : [`It did not get: ${report.denied_toolsets.join("; ")}`]),
	].join("\n");
}

function factsOf({ status, exit_reason, duration_seconds, api_calls, tool_calls }: ChildReport): string {
	const how = status === "completed" && exit_reason === "max_iterations" ? "completed at its limit of calls" : status;
	return `${how}, ${duration_seconds} s, model calls: ${api_calls}, tool calls: ${tool_calls}`;
}

function changeText({ summary, branch }: NonNullable<ChildReport["change"]>): string {
	const where = branch === undefined ? "apart from your files" : `on the branch ${branch}`;
	return `Its changes are ${where} until you merge or discard them (delegate_task action=merge|discard):\n${summary}`;
}
