/** What the tool that hands tasks to sub-agents is given: the engine that runs them, as one agent may use it. */

import { z } from "zod";

/** A leaf works; an orchestrator may hand out tasks of its own, where the settings allow that. */
export type ChildRole = "leaf" | "orchestrator";

/** Whose files a child changes: its parent's, those of a git worktree, or those of a sandbox of its own. */
export const isolations = ["shared", "worktree", "sandbox"] as const;

/** One task for one child. */
export interface DelegatedTask {
	readonly goal: string;
	/** What it must know; nothing of the parent's conversation reaches it otherwise. */
	readonly context?: string | undefined;
	/** Toolsets or tools of the parent that it gets; all of them when left out. */
	readonly toolsets?: readonly string[] | undefined;
	readonly role: ChildRole;
	readonly isolation: (typeof isolations)[number];
}

/** Tasks that one call may hand out: the number at a time has a limit of its own, the rest wait for their turn. */
export const mostTasks = 32;

const count = z.number().nonnegative();

/** What a child left that is not in its parent's files yet; see `KeptChange` of the loop. */
const changeShape = z.object({
	kind: z.enum(["worktree", "sandbox"]),
	summary: z.string(),
	target: z.string(),
	base: z.string().optional(),
	branch: z.string().optional(),
	folder: z.string().optional(),
	backend: z.string().optional(),
	/** What became of it. */
	state: z.enum(["open", "merged", "discarded"]).default("open"),
});

/** What is known of a child, while it works and after: plain JSON for the model, for the record on disk, and for people. */
export const childReportShape = z.object({
	task_index: count,
	subagent_id: z.string(),
	goal: z.string(),
	role: z.enum(["leaf", "orchestrator"]),
	/**
	 * `abandoned`: never begun, or it would not stop. `stalled`: nothing happened for too long. `error`: it could not be run.
	 * `lost`: hermes died before it.
	 */
	status: z.enum([
		...["queued", "running", "completed", "failed", "interrupted", "timeout", "stalled", "abandoned", "error", "lost"],
	] as const),
	/** Its own words at its end; empty when it had none. */
	summary: z.string(),
	/** Where the whole summary is, when it was too long. */
	summary_file: z.string().optional(),
	/** What it had said and done, when it came to no end of its own. */
	partial: z.string().optional(),
	error: z.string().optional(),
	exit_reason: z.enum(["completed", "max_iterations", "interrupted", "timeout", "stalled", "error"]).optional(),
	api_calls: count,
	/** Milliseconds since 1970; missing until it works. */
	started_at: count.optional(),
	duration_seconds: count,
	model: z.string(),
	tokens: z.object({ input: count, output: count }),
	/** The latest calls. */
	tool_trace: z.array(
		z.object({ tool: z.string(), args_bytes: count, result_bytes: count, status: z.enum(["ok", "error", "running"]) }),
	),
	tool_calls: count,
	/** Files that it changed with the file tools. */
	files_written: z.array(z.string()),
	/** Toolsets that were asked for and that it did not get, each with the reason. */
	denied_toolsets: z.array(z.string()).optional(),
	denied_calls: count.optional(),
	session_id: z.string().optional(),
	change: changeShape.optional(),
});

/** See `childReportShape`. */
export type ChildReport = z.output<typeof childReportShape>;

/** How a delegation stands. */
export interface DelegationStatus {
	readonly delegation_id: string;
	readonly status: "running" | "finished" | "cancelled" | "lost";
	readonly started_at: string;
	readonly duration_seconds: number;
	readonly children: readonly ChildReport[];
}

/** What became of a request: JSON for the model, or why nothing was done, in words for the model. */
export type DelegationAnswer =
	| { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
	| { readonly ok: false; readonly why: string };

/** Sub-agents as one call of one agent may use them. */
export interface Delegation {
	/** Hands out tasks. Gives a handle at once where the agent is told of the end later, else the results. */
	start(tasks: readonly DelegatedTask[]): Promise<DelegationAnswer>;
	/** The delegations of this agent, newest first. */
	list(): readonly DelegationStatus[];
	status(id: string): DelegationAnswer;
	/** Stops what still works; finished results are kept. */
	cancel(id: string): Promise<DelegationAnswer>;
	/** Takes the change of a child over into the agent's own files. `task` is its index; needed when there are several. */
	merge(id: string, task: number | undefined): Promise<DelegationAnswer>;
	/** Throws the change away. */
	discard(id: string, task: number | undefined): Promise<DelegationAnswer>;
}
