/** What background processes tell a conversation: each notice once, in order, as the text of a new turn. */

import type { Delegations } from "../../agent/delegate/delegations.ts";
import { noticeText } from "../../processes/notice.ts";
import type { ProcessTable } from "../../processes/table.ts";
import { noticeIn } from "./open-delegations.ts";

/** The news of one conversation. */
export interface BackgroundNews {
	/** The text of a turn that tells what has happened; undefined when nothing has. */
	take(): string | undefined;
	/** Something that was started here will be told when it ends, or waits to be told. */
	readonly isExpected: boolean;
	/** Resolves when there is something to take, or when `signal` aborts. */
	wait(signal: AbortSignal): Promise<void>;
	/** Processes that run now, for a person; one line each. */
	running(): readonly string[];
	/** Sub-agents that work now and end with this hermes; one line each. */
	working(): readonly string[];
	/** What an earlier run left and this one looks after, one line each. */
	readonly adopted: readonly string[];
}

/** How the conversation takes part. */
export interface NewsOptions {
	readonly taskId: string;
	/** Somebody stays: the end of what earlier runs left is told as well. */
	readonly isAttended: boolean;
	/** Looks after what earlier runs left. */
	readonly adopts: boolean;
	/** Sub-agents, whose ends are told in the same way. */
	readonly delegations: Pick<Delegations, "running" | "wasTold">;
	/** The conversation as it is now, by the id that it began with. */
	conversationId(): string;
}

/** The news of a task. */
export async function openBackgroundNews(
	processes: ProcessTable,
	{ taskId, isAttended, adopts, delegations, conversationId }: NewsOptions,
): Promise<BackgroundNews> {
	const adopted = adopts ? await processes.adopt(taskId, { tells: isAttended }) : [];
	const { text } = processes.desk(taskId, "");
	const lineOf = ({ record }: (typeof adopted)[number]) => `${record.id} ${text.text(record.command).slice(0, 100)}`;
	return {
		take() {
			const notices = processes.takeNotices(taskId);
			for (const notice of notices) if (notice.type === "delegation") delegations.wasTold(notice.id);
			const texts = notices.map((notice) => noticeText(noticeIn(notice, conversationId())));
			return texts.length === 0 ? undefined : texts.join("\n\n");
		},
		get isExpected() {
			return processes.isExpecting(taskId);
		},
		async wait(signal) {
			const { promise, resolve } = Promise.withResolvers<void>();
			using _listening = processes.onNotice(() => processes.hasNotice(taskId) && resolve());
			const onAbort = () => resolve();
			signal.addEventListener("abort", onAbort, { once: true });
			if (signal.aborted || processes.hasNotice(taskId)) resolve();
			await promise;
			signal.removeEventListener("abort", onAbort);
		},
		running: () => processes.running(taskId).map(lineOf),
		working: () => delegations.running(),
		adopted: adopted.map(lineOf),
	};
}
