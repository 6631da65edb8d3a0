/** The tool that hands tasks to sub-agents, and looks after what was handed out. */

import { z } from "zod";
import {
	type Delegation,
	type DelegationAnswer,
	type DelegationStatus,
	isolations,
} from "../../registry/delegation.ts";
import { delegationLimits } from "../../registry/delegation-limits.ts";
import { defineTool, type ToolAnswer, toolError, toolResult } from "../../registry/tool.ts";
import { describeDelegation } from "./describe.ts";
import { readTasks } from "./read-tasks.ts";

const actions = ["start", "list", "status", "cancel", "merge", "discard"] as const;
const roles = ["leaf", "orchestrator"];

const taskFields = {
	context: z.string().optional().describe("What the child must know to do it"),
	toolsets: z
		.array(z.string())
		.optional()
		.describe("Toolsets or tools that it gets, of those that you have; all of yours when left out"),
	// An unknown role is a leaf, and a warning: nothing is lost by it.
	role: z.string().meta({ enum: roles }).optional().describe("leaf (usual) works; orchestrator hands out tasks too"),
	isolation: z
		.string()
		.meta({ enum: [...isolations] })
		.optional()
		.describe("shared (usual): your files; worktree: a git worktree; sandbox: a container of its own"),
};

const delegateArgs = z.object({
	goal: z.string().optional().describe("What one child has to do, and what its answer must contain"),
	tasks: z
		.array(z.object({ goal: z.string().optional().describe("What this child has to do"), ...taskFields }))
		.optional()
		.describe("Several tasks, a child each; toolsets, role and isolation beside them are the defaults"),
	...taskFields,
	action: z
		.enum(actions)
		.default("start")
		.describe("start hands out tasks; list and status show what was handed out; cancel stops it; merge and discard"),
	delegation_id: z.string().optional().describe("For status, cancel, merge and discard"),
	task_index: z.int().min(0).optional().describe("For merge and discard: which child, when several have changes"),
});

type DelegateArgs = z.output<typeof delegateArgs>;

export default defineTool({
	name: "delegate_task",
	toolset: "delegation",
	description: describeDelegation(delegationLimits(undefined), 0),
	args: delegateArgs,
	scope: "agent",
	describe: ({ settings, depth = 0 }) => ({ description: describeDelegation(delegationLimits(settings), depth) }),

	// What is merged goes into the project that the session is in.
	edits: ({ action }, { cwd }) => (action === "merge" && cwd ? [`${cwd.replace(/\/+$/, "")}/`] : undefined),

	async run(args, { agent }) {
		const delegation = agent?.delegation;
		if (delegation === undefined) {
			return toolError("Cannot hand out tasks: this needs an agent, and this call has none that may do so");
		}
		if (args.action === "start") return await start(args, delegation);
		if (args.action === "list") return toolResult({ delegations: delegation.list().map(shortly) });
		const { delegation_id: id, task_index: index } = args;
		if (id === undefined) return toolError(`Cannot ${args.action}: delegation_id is missing; action=list shows all`);
		if (args.action === "status") return answerOf(delegation.status(id));
		if (args.action === "cancel") return answerOf(await delegation.cancel(id));
		return answerOf(await delegation[args.action](id, index));
	},
});

async function start(args: DelegateArgs, delegation: Delegation): Promise<ToolAnswer> {
	const read = readTasks(args);
	if (!read.ok) return toolError(read.why);
	const { warnings } = read;
	return answerOf(await delegation.start(read.tasks), warnings.length === 0 ? {} : { warnings });
}

/** A list names what status tells of. */
function shortly({ children, ...status }: DelegationStatus): Readonly<Record<string, unknown>> {
	return {
		...status,
		tasks: children.map(({ task_index, status, goal }) => ({ task_index, status, goal: goal.slice(0, 200) })),
	};
}

function answerOf(answer: DelegationAnswer, more: Readonly<Record<string, unknown>> = {}): ToolAnswer {
	return answer.ok ? toolResult({ ...answer.data, ...more }) : toolError(answer.why, more);
}
