/** What is known of one background process from outside: enough to find it again after a restart. */

import { z } from "zod";

/** As it stands in the checkpoint. */
export const processRecord = z.object({
	id: z.string().regex(/^proc_[0-9a-f]{12}$/),
	command: z.string(),
	/** Which task may see it. */
	taskId: z.string(),
	/** The conversation that started it. */
	sessionId: z.string(),
	/** The sandbox, as `ranOn` names it. */
	ranOn: z.string(),
	/** Its folder in the sandbox, absolute. */
	folder: z.string().regex(/^\/(?:.*\/)?hermes-job-\w+$/),
	/** As the sandbox numbers processes. */
	pid: z.int(),
	cwd: z.string(),
	/** Milliseconds since 1970. */
	startedAt: z.number(),
	terminal: z.object({ columns: z.int(), rows: z.int() }).optional(),
	notify: z.boolean(),
	patterns: z.array(z.string()),
	/** Lines that somebody has read. */
	linesRead: z.int().default(0),
});

/** One background process. Numbers and texts only; what happens to it is in the table. */
export type ProcessRecord = z.output<typeof processRecord>;

/** Size of a terminal. */
export interface TerminalSize {
	readonly columns: number;
	readonly rows: number;
}

/** How it ended. */
export type EndReason = "exited" | "killed" | "lost";

/** The end of a process. */
export interface ProcessEnd {
	/** Its exit code, 128 and more for signals; -1 when nobody knows. */
	readonly exitCode: number;
	readonly reason: EndReason;
	/** What ended it, where it did not end by itself; `backend_lost` when its sandbox is gone. */
	readonly source?: "process.kill" | "timeout" | "backend_lost";
	/** Milliseconds since 1970. */
	readonly at: number;
	/** Why it was lost, for a person. */
	readonly why?: string;
}
