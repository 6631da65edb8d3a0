/** Asking a service again that is busy or in trouble. */

import { setTimeout as pause } from "node:timers/promises";
import { isPassing, serviceError } from "./service-error.ts";

/** How a request is repeated. */
export interface PatienceOptions {
	/** Ends the waiting. Its clock is a timer's, so a clock that is set changes nothing. */
	readonly signal: AbortSignal;
	/** Called before a request is repeated; a value other than undefined stands for its answer. */
	onFailure?(reason: string): void;
}

const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** What nobody asked us to wait for is tried this often. */
const mostTries = 6;

/**
 * What `request` gives, which is made again while the service asks for time or is in trouble.
 * @throws What the last request threw, or the reason of the signal.
 */
export async function patiently<T>(request: () => Promise<T>, options: PatienceOptions): Promise<T> {
	const { signal } = options;
	for (let tries = 1; ; tries++) {
		signal.throwIfAborted();
		try {
			return await request();
		} catch (cause) {
			const error = serviceError(cause);
			if (!isPassing(error) || (tries >= mostTries && error.retryAfterMs === undefined)) throw cause;
			options.onFailure?.(error.reason);
			const usualMs = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs);
			// Those who were refused together would come back together.
			const pauseMs = error.retryAfterMs ?? usualMs * (0.5 + Math.random() / 2);
			await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
		}
	}
}
