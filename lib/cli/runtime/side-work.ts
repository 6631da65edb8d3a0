/** Work that goes on beside a conversation. */

import { attemptAsync } from "../../base/attempt.ts";

/** What was started and not waited for; it must not hold up the end of the run. */
export interface SideWork extends AsyncDisposable {
	/** Starts `work`; what it throws goes to `onFailure`. */
	start(work: (signal: AbortSignal) => Promise<void>): void;
}

/** How long the end of the run waits for work that is under way. */
const lastMomentMs = 1_000;

/** Disposing it waits for `momentMs` at most, then aborts what is left. */
export function openSideWork(onFailure: (reason: string) => void, momentMs = lastMomentMs): SideWork {
	const stop = new AbortController();
	const running = new Set<Promise<void>>();
	return {
		start(work) {
			const ended = attemptAsync(() => work(stop.signal)).then((outcome) => {
				running.delete(ended);
				if (!outcome.ok && !stop.signal.aborted) onFailure(outcome.reason);
			});
			running.add(ended);
		},
		async [Symbol.asyncDispose]() {
			let timer: Timer | undefined;
			const moment = new Promise<void>((resolve) => {
				timer = setTimeout(resolve, momentMs);
			});
			await Promise.race([Promise.all(running), moment]);
			clearTimeout(timer);
			stop.abort(new Error("Cannot go on: the run ends"));
		},
	};
}
