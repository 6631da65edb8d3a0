/** What the model is told of handing out tasks: the limits that hold now, and nothing that this agent cannot do. */

import { mostTasks } from "../../registry/delegation.ts";
import { type DelegationLimits, mayDelegateBelow } from "../../registry/delegation-limits.ts";

/** The text for an agent at `depth`; the first one is at 0. */
export function describeDelegation(limits: DelegationLimits, depth: number): string {
	return [
		"Hand tasks to sub-agents. Each begins a conversation of its own that knows nothing of this one: put everything it needs (paths, facts, what was tried, what the answer must contain) into goal and context.",
		`Give goal for one task, or tasks for several that do not need each other's results: ${limits.atOnce} work at the same time, the others wait for their turn, ${mostTasks} in one call at most.`,
		depth === 0
			? `They work in the background: the call gives a delegation_id at once, and what came of it is told to you in a turn of its own when all have ended. Do not wait, poll or repeat their work; go on with something else or end your turn. At most ${limits.inBackground} delegations run at once.`
			: "You wait for their results, which are the answer of this call.",
		`A child makes ${limits.modelCalls} model calls at most${limits.sharesBudget ? ", which count as yours too" : ""}${limits.timeoutMs === undefined ? "" : `, and takes ${limits.timeoutMs / 1000} seconds at most; then it reports what it has`}.`,
		"It gets at most the tools that you have, never delegate_task, clarify, memory, send_message, execute_code or cronjob, and what would need the user's consent is refused.",
		mayDelegateBelow(limits, depth)
			? `With role=orchestrator a child may hand out tasks itself (agents stand ${limits.depth} levels deep at most; its children are at level ${depth + 2}).`
			: "Children cannot hand out tasks themselves.",
		"It works on your files unless isolation says otherwise: with worktree its changes stay on a git branch, with sandbox in a container of its own (where the backend has those), until you take them over with action=merge or throw them away with action=discard.",
		"What a child says of its work is its own claim: ask for something that can be checked (a path, a URL, a test that passes), and check it before you rely on it.",
	].join("\n");
}
