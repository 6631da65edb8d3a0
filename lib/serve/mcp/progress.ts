/** News of a call that takes long: the end of what it printed so far, and a sign of life when it prints nothing. */

import type { ProgressToken, ServerNotification } from "@modelcontextprotocol/sdk/types.js";

/** How often new output is told at most. */
const paceMs = 500;
/** Clients give up on a call that says nothing for a minute; some after half of that. */
const signOfLifeMs = 10_000;
/** Characters of output that one message has. */
const longestTail = 1_000;

/** Where the news go. */
export interface ProgressOptions {
	/** What the client wants the news under; without it there are none. */
	readonly token: ProgressToken | undefined;
	send(notification: ServerNotification): Promise<void>;
	readonly now?: () => number;
}

/** The news of one call; disposing it ends them. */
export interface Progress extends Disposable {
	/** Takes in what was printed. */
	output(text: string): void;
}

/** Starts telling. `progress` is the time since then, in seconds: nobody knows how long a command takes. */
export function reportProgress({ token, send, now = () => performance.now() }: ProgressOptions): Progress {
	if (token === undefined) return { output() {}, [Symbol.dispose]() {} };
	const startedAt = now();
	let toldAt = startedAt;
	let tail = "";
	let isNew = false;
	const tell = () => {
		const time = now();
		if (!isNew && time - toldAt < signOfLifeMs) return;
		toldAt = time;
		isNew = false;
		const progress = Math.round(time - startedAt) / 1_000;
		const message = tail === "" ? `running for ${Math.round(progress)} s` : tail;
		const params = { progressToken: token, progress, message };
		// Nobody may be there any more; the call itself finds out.
		send({ method: "notifications/progress", params }).catch(() => undefined);
	};
	const timer = setInterval(tell, paceMs);
	return {
		output(text) {
			tail = (tail + text).slice(-longestTail);
			isNew ||= text !== "";
		},
		[Symbol.dispose]: () => clearInterval(timer),
	};
}
