/** The engine of sub-agents with agents whose models are scripted, for tests of what it promises. */

import { createAgent, type RunTool } from "../../lib/agent/agent.ts";
import { type Budget, createBudget } from "../../lib/agent/budget.ts";
import type { ChildRequest, Delegator, OpenedChild } from "../../lib/agent/delegate/child.ts";
import { Delegations, type DelegationsOptions } from "../../lib/agent/delegate/delegations.ts";
import type { AgentEvent } from "../../lib/agent/events.ts";
import { createSpending } from "../../lib/agent/spending.ts";
import { createExpectations } from "../../lib/processes/expectations.ts";
import { noticeText } from "../../lib/processes/notice.ts";
import { createNotices } from "../../lib/processes/notices.ts";
import type { ModelClient } from "../../lib/providers/provider.ts";
import type { DelegatedTask, Delegation } from "../../lib/registry/delegation.ts";
import { type DelegationLimits, delegationLimits } from "../../lib/registry/delegation-limits.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { instantClock } from "./scripted-model.ts";
import { plainTool } from "./tools.ts";

/** What children do and how far they may go. */
export interface DelegationSceneOptions
	extends Partial<Pick<DelegationsOptions, "records" | "saveText" | "isolation" | "stall" | "lullMs" | "mask">> {
	/** The model of the child with this goal; what it throws is a child that cannot be opened. */
	modelFor(goal: string): ModelClient;
	readonly limits?: Partial<DelegationLimits>;
	/** The first agent is told of ends later. */
	readonly inBackground?: boolean;
	/** What a call of a child's tool does, besides answering. */
	onCall?(goal: string, signal: AbortSignal): Promise<void> | void;
	readonly filesWritten?: readonly string[];
	/** The child with this goal goes on when it is told to stop, as work would that nothing can abort. */
	readonly deaf?: string;
	/** Model calls of the turn that hands out tasks. */
	readonly turnBudget?: Budget;
	readonly maxTotalTokens?: number;
}

/** A task for a leaf on shared files. */
export function taskOf(goal: string, more: Partial<DelegatedTask> = {}): DelegatedTask {
	return { goal, role: "leaf", isolation: "shared", ...more };
}

/** A model that never answers, whatever is aborted. */
export const hangingModel: ModelClient = {
	async *complete() {
		await new Promise(() => {});
	},
};

/** The engine, the first agent's view of it, and what can be seen of both. */
export function delegationScene(options: DelegationSceneOptions) {
	const registry = createRegistry(
		new Map(["look", "change", "delegate_task"].map((name) => [name, plainTool(name)])),
		[],
	);
	const notices = createNotices();
	const expected = createExpectations(notices);
	const events: AgentEvent[] = [];
	const seen = { working: 0, mostAtOnce: 0, closed: [] as string[] };
	const engine = new Delegations({
		limits: () => ({ ...delegationLimits(undefined), ...options.limits }),
		registry,
		openChild: async (request) => openChild(request, options, seen),
		...(options.inBackground === true && { expect: () => expected.open("default") }),
		records: options.records,
		isolation: options.isolation,
		saveText: options.saveText,
		...(options.mask && { mask: options.mask }),
		...(options.stall && { stall: options.stall }),
		...(options.lullMs !== undefined && { lullMs: options.lullMs }),
		changedSince: (agentId) => (agentId === "c" ? ["/project/changed.txt"] : []),
		emit: (event) => void events.push(event),
	});
	const tokens = options.maxTotalTokens;
	const parent: Delegator = {
		depth: 0,
		conversationId: "c",
		sessionId: () => "c",
		taskId: "default",
		tools: () => new Set(["look", "change", "delegate_task"]),
		cwd: () => "/project",
		spending: createSpending(tokens === undefined ? {} : { maxTotalTokens: tokens }),
	};
	const stop = new AbortController();
	const call = { budget: options.turnBudget ?? createBudget(500), signal: stop.signal, onOutput: () => {} };
	return {
		engine,
		events,
		seen,
		spending: parent.spending,
		isExpected: () => expected.has("default"),
		delegation: engine.of(parent, call),
		/** Interrupts the turn that waits. */
		interrupt: () => stop.abort(new Error("interrupted")),
		/** Everything that was told, as the texts of turns. */
		told: () => notices.take("default").map((notice) => noticeText(notice)),
		/** Resolves when something is told. */
		async untilTold() {
			const { promise, resolve } = Promise.withResolvers<void>();
			using _ = notices.onPush(resolve);
			if (!notices.has("default")) await promise;
		},
	};
}

function openChild(
	request: ChildRequest,
	options: DelegationSceneOptions,
	seen: { working: number; mostAtOnce: number; closed: string[] },
): OpenedChild {
	const { task, budget, spending, delegation, tools, emit } = request;
	const sessionId = `session-of-${task.goal.slice(0, 40)}`;
	const client = options.modelFor(task.goal);
	const runTool: RunTool = async (call, run) => {
		await options.onCall?.(task.goal, run.signal);
		if (call.name !== "delegate_task" || delegation === undefined) {
			return { answer: '{"ok":true}', isError: false, denied: false, durationMs: 1 };
		}
		const own = delegation({ sessionId: () => sessionId, cwd: () => "/project" }, run);
		const { tasks } = JSON.parse(call.arguments) as { tasks: DelegatedTask[] };
		const answer = await own.start(tasks);
		return { answer: JSON.stringify(answer), isError: !answer.ok, denied: false, durationMs: 1 };
	};
	const agent = createAgent({
		client,
		model: `model-of-${task.goal.slice(0, 40)}`,
		providerId: "one",
		systemPrompt: "Work.",
		tools: [...tools].map((name) => ({ name, description: name, parameters: { type: "object" } })),
		runTool,
		sessionId,
		cwd: "/project",
		ranOn: "local",
		maxTurns: 50,
		openBudget: () => budget,
		spending,
		clock: instantClock(),
		emit,
	});
	seen.working++;
	seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.working);
	return {
		model: `model-of-${task.goal.slice(0, 40)}`,
		sessionId,
		runTurn: (text, signal) => agent.runTurn(text, task.goal === options.deaf ? new AbortController().signal : signal),
		filesWritten: () => options.filesWritten ?? [],
		async close() {
			seen.working--;
			seen.closed.push(task.goal);
		},
	};
}

/** The results of a call that waited. */
export function resultsOf(answer: Awaited<ReturnType<Delegation["start"]>>): readonly Record<string, unknown>[] {
	if (!answer.ok) throw new Error(answer.why);
	return answer.data.results as readonly Record<string, unknown>[];
}
