/** What those who watch a conversation are told of its children. */

import type { ChildReport } from "../../registry/delegation.ts";
import type { AgentEvent } from "../events.ts";
import type { DelegationGroup } from "./delegation-group.ts";
import { goalLine } from "./short-goal.ts";

type SubagentEvent = Extract<AgentEvent, { type: "subagent" }>;

/** Whose event it is. */
export interface EventSubject {
	readonly group: Pick<DelegationGroup, "id" | "parent" | "children">;
	readonly report: Readonly<ChildReport>;
	readonly depth: number;
}

/** The event of a child as it stands now. */
export function eventOf(
	{ group, report, depth }: EventSubject,
	event: SubagentEvent["event"],
	more: Pick<SubagentEvent, "tool" | "text">,
): SubagentEvent {
	const { childId } = group.parent;
	return {
		type: "subagent",
		event,
		delegation_id: group.id,
		subagent_id: report.subagent_id,
		...(childId !== undefined && { parent_id: childId }),
		depth,
		task_index: report.task_index,
		task_count: group.children.length,
		goal: goalLine(report.goal),
		model: report.model,
		...(report.session_id !== undefined && { session_id: report.session_id }),
		...more,
		status: report.status,
		model_calls: report.api_calls,
		tool_calls: report.tool_calls,
		duration_ms: Math.round(report.duration_seconds * 1000),
	};
}
