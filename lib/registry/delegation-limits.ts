/** What the settings say about sub-agents, read in one place: the tool's text states what its engine keeps to. */

import { longestTimerSeconds } from "../base/longest-timer.ts";
import type { ToolSettings } from "./tool.ts";

/** The limits as they are now. */
export interface DelegationLimits {
	/** Children of one call that work at the same time. */
	readonly atOnce: number;
	/** Delegations in the background at the same time. */
	readonly inBackground: number;
	/** Model calls of one child. */
	readonly modelCalls: number;
	/** Children spend the model calls of their parent's turn too. */
	readonly sharesBudget: boolean;
	/** How deep agents may stand below the first one. */
	readonly depth: number;
	readonly mayOrchestrate: boolean;
	/** Milliseconds that a child may take; undefined is no limit. */
	readonly timeoutMs: number | undefined;
	/** Tools of servers go to children that were not given them by name. */
	readonly inheritsServers: boolean;
}

/** Shorter limits would end children that only wait for their first answer. */
const leastTimeoutSeconds = 30;

/** Without settings everything has its default. */
export function delegationLimits(settings: Pick<ToolSettings, "get"> | undefined): DelegationLimits {
	const seconds = settings?.get("delegation.child_timeout_seconds") ?? 0;
	return {
		atOnce: settings?.get("delegation.max_concurrent_children") ?? 3,
		inBackground: settings?.get("delegation.max_async_children") ?? 3,
		modelCalls: settings?.get("delegation.max_iterations") ?? 50,
		sharesBudget: settings?.get("delegation.shared_budget") ?? true,
		depth: settings?.get("delegation.max_spawn_depth") ?? 1,
		mayOrchestrate: settings?.get("delegation.orchestrator_enabled") ?? true,
		timeoutMs: seconds > 0 ? Math.min(Math.max(seconds, leastTimeoutSeconds), longestTimerSeconds) * 1000 : undefined,
		inheritsServers: settings?.get("delegation.inherit_mcp_toolsets") ?? true,
	};
}

/** Whether a child of an agent at `depth` (the first one is at 0) may hand out tasks itself. */
export function mayDelegateBelow({ depth: deepest, mayOrchestrate }: DelegationLimits, depth: number): boolean {
	return mayOrchestrate && depth + 1 < deepest;
}
