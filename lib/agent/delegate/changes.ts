/** What becomes of the changes that children have made in places of their own. */

import { attemptAsync } from "../../base/attempt.ts";
import type { ChildReport, DelegationAnswer } from "../../registry/delegation.ts";
import type { Isolation } from "./isolation.ts";
import { hasEnded } from "./results.ts";

/** Whose change is meant. */
export interface ChangeRequest {
	/** The delegation. */
	readonly id: string;
	/** Index of the child; may be left out when only one has a change. */
	readonly task: number | undefined;
	/** The change's state is written into its report. */
	readonly children: readonly ChildReport[];
	readonly isolation: Isolation | undefined;
	readonly signal: AbortSignal;
}

/** Takes over or throws away one change. */
export async function takeOver(action: "merge" | "discard", request: ChangeRequest): Promise<DelegationAnswer> {
	const { id, task, children, isolation, signal } = request;
	const open = children.filter((child) => child.change?.state === "open" && hasEnded(child));
	const meant = task === undefined ? open : open.filter(({ task_index }) => task_index === task);
	const [child] = meant;
	const change = child?.change;
	if (child === undefined || change === undefined) return refused(`Cannot ${action}: ${nothingOpen(request)}`);
	if (meant.length > 1) {
		const indexes = meant.map(({ task_index }) => task_index).join(", ");
		return refused(`Cannot ${action} ${id}: several tasks have changes (${indexes}); name one with task_index`);
	}
	if (isolation === undefined) return refused(`Cannot ${action} ${id}: that cannot be done in this kind of session`);
	const { task_index } = child;
	if (action === "discard") {
		const discarded = await attemptAsync(() => isolation.discard(change, signal));
		if (!discarded.ok) return refused(`Cannot discard the change of task ${task_index}: ${discarded.reason}`);
		change.state = "discarded";
		return { ok: true, data: { status: "discarded", task_index } };
	}
	const merged = await attemptAsync(() => isolation.merge(change, signal));
	if (!merged.ok) return refused(`Cannot merge the change of task ${task_index}: ${merged.reason}`);
	const { files } = merged.value;
	if (merged.value.kind === "conflicts") {
		const why = `Cannot merge the change of task ${task_index}: it conflicts with what your files hold now, and nothing was changed. Conflicts in: ${merged.value.why.join("; ")}`;
		const where = change.branch === undefined ? "" : `; the change is on the branch ${change.branch}`;
		return refused(`${why}${where}. Take it over by hand, or discard it`);
	}
	change.state = "merged";
	const { note } = merged.value;
	return { ok: true, data: { status: "merged", task_index, files, ...(note !== undefined && { note }) } };
}

function nothingOpen({ id, task, children }: ChangeRequest): string {
	const which = children.filter(({ task_index }) => task === undefined || task_index === task);
	const settled = which.find(({ change }) => change !== undefined)?.change;
	if (settled?.state === "open") return `who makes the change of ${id} is not done yet`;
	if (settled !== undefined) return `the change of ${id} was ${settled.state} already`;
	return task === undefined ? `${id} has left no change` : `task ${task} of ${id} has left no change`;
}

function refused(why: string): DelegationAnswer {
	return { ok: false, why };
}
