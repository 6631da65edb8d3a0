/** What tasks will be told of besides the ends of processes, in the same queue. */

import type { Notice } from "./notice.ts";
import type { Notices } from "./notices.ts";

/** Something that goes on, until its end is told or there is nothing to tell. */
export interface Expectation {
	/** Tells a part of it; the rest is still expected. */
	tellPart(notice: Notice): void;
	/** Tells it; nothing more is expected. */
	tell(notice: Notice): void;
	/** There will be nothing to tell, or what was told is known already. */
	drop(): void;
}

/** Everything that is expected. */
export interface Expectations {
	open(taskId: string): Expectation;
	/** The task will be told of something. */
	has(taskId: string): boolean;
}

/** Nothing is expected yet. What is told goes to `notices`. */
export function createExpectations(notices: Pick<Notices, "push" | "forget">): Expectations {
	const open = new Map<Expectation, string>();
	return {
		open(taskId) {
			let told: string | undefined;
			const expectation: Expectation = {
				tellPart(notice) {
					if (!open.has(expectation)) return;
					if ("id" in notice) told = notice.id;
					notices.push(taskId, notice);
				},
				tell(notice) {
					expectation.tellPart(notice);
					open.delete(expectation);
				},
				drop() {
					open.delete(expectation);
					if (told !== undefined) notices.forget(told);
				},
			};
			open.set(expectation, taskId);
			return expectation;
		},
		has: (taskId) => [...open.values()].includes(taskId),
	};
}
