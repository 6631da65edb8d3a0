/** From tasks to children that can be run: their role, their tools and a report that says that they wait. */

import type { Attempt } from "../../base/attempt.ts";
import type { DelegatedTask } from "../../registry/delegation.ts";
import { type DelegationLimits, mayDelegateBelow } from "../../registry/delegation-limits.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Delegator } from "./child.ts";
import { childTools } from "./child-tools.ts";
import type { PlannedReport } from "./delegation-group.ts";
import { queuedReport } from "./progress.ts";
import { childId } from "./short-id.ts";

/** Who hands out what, and how far that goes now. */
export interface PlanRequest {
	readonly tasks: readonly DelegatedTask[];
	readonly parent: Delegator;
	readonly limits: DelegationLimits;
	readonly registry: Registry;
}

/** All of them, or why one of them cannot be run. A role that cannot be granted is a leaf. */
export function planChildren({ tasks, parent, limits, registry }: PlanRequest): Attempt<readonly PlannedReport[]> {
	const children: PlannedReport[] = [];
	for (const [index, task] of tasks.entries()) {
		const role = task.role === "orchestrator" && mayDelegateBelow(limits, parent.depth) ? "orchestrator" : "leaf";
		const { inheritsServers } = limits;
		const { names, denied } = childTools(registry, {
			parent: parent.tools(),
			toolsets: task.toolsets,
			role,
			inheritsServers,
		});
		if (names.size === 0) {
			const why = denied.join("; ") || "you have none that a sub-agent may get";
			return { ok: false, reason: `Task ${index} would have no tools: ${why}` };
		}
		const report = queuedReport(index, childId(index), task);
		report.role = role;
		if (denied.length > 0) report.denied_toolsets = [...denied];
		children.push({ task, role, tools: names, report });
	}
	return { ok: true, value: children };
}
