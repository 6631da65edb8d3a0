/** Runs the children of one delegation, and tells those who watch how each goes on. */

import type { ChildReport, Delegation } from "../../registry/delegation.ts";
import type { DelegationLimits } from "../../registry/delegation-limits.ts";
import { createBudget } from "../budget.ts";
import type { AgentEvent } from "../events.ts";
import { runBatch } from "./batch.ts";
import type { DelegatingCall, Delegator, OpenChild } from "./child.ts";
import { countedSpending } from "./counted-spending.ts";
import type { DelegationGroup, PlannedReport } from "./delegation-group.ts";
import type { Isolation } from "./isolation.ts";
import { eventOf } from "./live-event.ts";
import { runChild } from "./run-child.ts";
import { type StallLimits, usualStallLimits } from "./stall-watch.ts";

/** How long children may take to stop: while a call waits for their reports, and when nobody does. */
const hurriedGraceMs = 400;
const graceMs = 3_000;

/** A child as those who watch see it. */
export interface ObservedChild {
	readonly delegationId: string;
	readonly parentSessionId: string;
	readonly report: Readonly<ChildReport>;
}

/** What running needs. */
export interface GroupRun {
	/** The call that handed out the tasks. */
	readonly call: DelegatingCall;
	readonly limits: DelegationLimits;
	/** Stops all of them. */
	readonly signal: AbortSignal;
	readonly openChild: OpenChild;
	readonly isolation: Isolation | undefined;
	readonly stall: StallLimits | undefined;
	emit(event: AgentEvent): void;
	readonly observe: ((moment: "start" | "stop", about: ObservedChild) => void) | undefined;
	/** A report has changed; `now`: that must not be lost. */
	changed(now: boolean): void;
	/** A child has ended. */
	ended(): void;
	/** Delegations as a child may use them. */
	of(parent: Delegator, call: DelegatingCall): Delegation;
}

/** Resolves when every child has a report that does not change any more. */
export async function runGroup(group: DelegationGroup, run: GroupRun): Promise<void> {
	await runBatch(group.children.length, {
		atOnce: run.limits.atOnce,
		signal: run.signal,
		async run(index) {
			const child = group.children[index];
			if (child !== undefined) await runOne(group, child, run);
		},
	});
	for (const { report } of group.children) {
		if (report.status !== "queued") continue;
		report.status = "abandoned";
		report.error = "Never begun: the delegation was stopped before its turn came";
	}
}

async function runOne(group: DelegationGroup, child: PlannedReport, run: GroupRun): Promise<void> {
	const { report, role } = child;
	const { parent, isBackground } = group;
	const { call, limits, signal, changed } = run;
	const depth = parent.depth + 1;
	const about = { delegationId: group.id, parentSessionId: parent.sessionId(), report };
	const announce = (event: Parameters<typeof eventOf>[1], more: Parameters<typeof eventOf>[2] = {}) =>
		run.emit(eventOf({ group, report, depth }, event, more));
	report.status = "running";
	report.started_at = Date.now();
	changed(true);
	run.observe?.("start", about);
	announce("started");
	await runChild({
		...child,
		parent,
		depth,
		budget: limits.sharesBudget ? call.budget.child(limits.modelCalls) : createBudget(limits.modelCalls),
		spending: countedSpending(parent.spending, report),
		delegation: role === "leaf" ? undefined : (self, ownCall) => run.of(orchestrator(child, parent, self), ownCall),
		open: run.openChild,
		isolation: run.isolation,
		timeoutMs: limits.timeoutMs,
		stall: run.stall ?? usualStallLimits,
		graceMs: isBackground ? graceMs : hurriedGraceMs,
		isHurried: !isBackground,
		signal,
		onProgress(event) {
			changed(false);
			if (event.type === "tool_started") announce("tool", { tool: event.name });
			if (event.type === "assistant_message" && event.text !== "") announce("text", { text: event.text });
			if (!isBackground) showInCall(call, event, `${report.task_index + 1}/${group.children.length}`);
		},
		onClosed: () => changed(true),
	});
	changed(true);
	run.observe?.("stop", about);
	announce("finished");
	run.ended();
}

/** The turn of an agent that waits must not look idle while its children work. */
function showInCall({ onOutput }: DelegatingCall, event: AgentEvent, which: string): void {
	if (event.type === "tool_started") onOutput(`[${which}] ${event.name}\n`);
	if (event.type === "tool_output") onOutput("");
}

function orchestrator(
	{ report, tools }: PlannedReport,
	parent: Delegator,
	self: Pick<Delegator, "sessionId" | "cwd">,
): Delegator {
	return {
		...self,
		depth: parent.depth + 1,
		conversationId: parent.conversationId,
		taskId: report.subagent_id,
		childId: report.subagent_id,
		tools: () => tools,
		spending: parent.spending,
	};
}
