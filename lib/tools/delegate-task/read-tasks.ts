/** From what a model writes to the tasks that it means. */

import { type DelegatedTask, isolations, mostTasks } from "../../registry/delegation.ts";

/** One task as it was sent. */
export interface SentTask {
	readonly goal?: string | undefined;
	readonly context?: string | undefined;
	readonly toolsets?: readonly string[] | undefined;
	readonly role?: string | undefined;
	readonly isolation?: string | undefined;
}

/** A call as it was sent: one task, or several for which it has the defaults. */
export interface SentTasks extends SentTask {
	readonly tasks?: readonly SentTask[] | undefined;
}

/** Tasks that can be run, with what was odd about them; or why there are none. */
export type ReadTasks =
	| { readonly ok: true; readonly tasks: readonly DelegatedTask[]; readonly warnings: readonly string[] }
	| { readonly ok: false; readonly why: string };

/** With `tasks` the goal and context beside them do not count. */
export function readTasks({ tasks, ...single }: SentTasks): ReadTasks {
	if (tasks !== undefined && tasks.length > mostTasks) {
		return {
			ok: false,
			why: `Cannot hand out ${tasks.length} tasks at once: ${mostTasks} at most; send the rest later`,
		};
	}
	if (tasks === undefined || tasks.length === 0) {
		if (isBlank(single.goal))
			return { ok: false, why: "Cannot hand out nothing: give a goal, or tasks with a goal each" };
		return readAll([single], {});
	}
	const missing = tasks.findIndex(({ goal }) => isBlank(goal));
	if (missing >= 0) return { ok: false, why: `Task ${missing} is missing a 'goal': say what that child has to do` };
	return readAll(tasks, single);
}

function readAll(sent: readonly SentTask[], defaults: SentTask): ReadTasks {
	const warnings: string[] = [];
	const tasks: DelegatedTask[] = [];
	for (const [index, task] of sent.entries()) {
		const isolation = isolationOf(task.isolation ?? defaults.isolation);
		if (isolation === undefined) {
			return { ok: false, why: `Task ${index}: isolation is one of ${isolations.join(", ")}, not "${task.isolation}"` };
		}
		tasks.push({
			goal: (task.goal ?? "").trim(),
			context: task.context?.trim() || undefined,
			toolsets: task.toolsets ?? defaults.toolsets,
			role: roleOf(task.role ?? defaults.role, (warning) => warnings.push(`Task ${index}: ${warning}`)),
			isolation,
		});
	}
	return { ok: true, tasks, warnings };
}

function isBlank(text: string | undefined): boolean {
	return text === undefined || text.trim() === "";
}

function roleOf(role: string | undefined, warn: (text: string) => void): DelegatedTask["role"] {
	if (role === "orchestrator") return "orchestrator";
	if (role !== undefined && role !== "leaf") warn(`the role "${role}" is unknown; the child is a leaf`);
	return "leaf";
}

/** Which files a child changes is never guessed. */
function isolationOf(sent: string | undefined): DelegatedTask["isolation"] | undefined {
	return sent === undefined ? "shared" : isolations.find((known) => known === sent);
}
