/** One delegation while its process lives: its children, what is known of each, and how all of it stands. */

import { thisOwner } from "../../processes/checkpoint.ts";
import type { Expectation } from "../../processes/expectations.ts";
import type { ChildReport } from "../../registry/delegation.ts";
import type { Delegator } from "./child.ts";
import type { DelegationRecord } from "./records.ts";
import type { PlannedChild } from "./run-child.ts";
import { keptGoal } from "./short-goal.ts";

/** A task with the report of the child that does it. */
export interface PlannedReport extends PlannedChild {
	readonly report: ChildReport;
}

/** The state of one delegation. */
export interface DelegationGroup {
	/** `deleg_1f2e3d4c`. */
	readonly id: string;
	readonly parent: Delegator;
	readonly children: readonly PlannedReport[];
	readonly isBackground: boolean;
	readonly startedAt: number;
	endedAt?: number;
	status: DelegationRecord["status"];
	/** Who wanted it cancelled, when somebody did. */
	cancelledBy?: string;
	told: boolean;
	/** Children whose ends were told before that of the delegation. */
	readonly toldBefore: Set<ChildReport>;
	readonly stop: AbortController;
	/** What the agent will be told of its end. */
	readonly expectation: Expectation | undefined;
	/** Resolves when it has ended and everything of it is known. */
	done: Promise<void>;
}

/** As it is kept. `mask` hides secrets. */
export function recordOf(group: DelegationGroup, mask: (text: string) => string): DelegationRecord {
	const { id, parent, status, told, startedAt, endedAt, isBackground, children } = group;
	return {
		version: 1,
		id,
		owner: thisOwner(),
		session_id: parent.sessionId(),
		conversation_id: parent.conversationId,
		...(parent.childId !== undefined && { parent_id: parent.childId }),
		depth: parent.depth + 1,
		is_background: isBackground,
		status,
		told,
		started_at: startedAt,
		...(endedAt !== undefined && { ended_at: endedAt }),
		updated_at: Date.now(),
		children: children.map(({ report }) => masked(report, mask)),
	};
}

function masked(report: ChildReport, mask: (text: string) => string): ChildReport {
	return {
		...report,
		// Masked before it is cut: half of a secret is none that anybody would know again.
		goal: keptGoal(mask(report.goal)),
		summary: mask(report.summary),
		...(report.partial !== undefined && { partial: mask(report.partial) }),
		...(report.error !== undefined && { error: mask(report.error) }),
	};
}
