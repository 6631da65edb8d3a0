/** A delegation in the words that its agent gets: the handle at its beginning, the text of the turn at its end. */

import type { DelegationGroup } from "./delegation-group.ts";
import { type DelegationRecord, statusOf } from "./records.ts";
import { endedText } from "./results.ts";
import { shortGoal } from "./short-goal.ts";

/** What a call that does not wait is answered with. */
export function handleOf({ id, children }: DelegationGroup): Readonly<Record<string, unknown>> {
	const denied = children.flatMap(({ report }) => report.denied_toolsets ?? []);
	return {
		status: "dispatched",
		delegation_id: id,
		mode: "background",
		tasks: children.map(({ report: { task_index, subagent_id, goal, role } }) => ({
			task_index,
			subagent_id,
			goal: shortGoal(goal),
			role,
		})),
		...(denied.length > 0 && { denied_toolsets: denied }),
		note: "They work now. You are told what came of it in a turn of its own: do not wait or poll. Go on with what does not need it, or end your turn and say what was begun.",
	};
}

/** The text of the turn about one that has ended, or has in part. */
export function textOf(group: DelegationGroup): string {
	const { id, status, cancelledBy: by, children, toldBefore } = group;
	const reports = children.map(({ report }) => report);
	return endedText({ id, status, by, seconds: secondsOf(group), reports, toldBefore });
}

/** The same for one of an earlier process. */
export function textOfRecord(record: DelegationRecord): string {
	const { delegation_id: id, duration_seconds: seconds, children: reports } = statusOf(record, Date.now());
	return endedText({ id, status: record.status === "running" ? "lost" : record.status, seconds, reports });
}

/** Seconds that it has taken so far, or took. */
export function secondsOf({ startedAt, endedAt = Date.now() }: DelegationGroup): number {
	return Math.round((endedAt - startedAt) / 100) / 10;
}
