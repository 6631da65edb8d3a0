/** Stops calls to a server that does not answer, and lets one through now and then to see whether it does again. */

/** Failures in a row after which nobody asks the server for a while. */
const mostFailures = 3;

/** What a call has to know of the calls before it. */
export interface Breaker {
	/** Milliseconds until the next call may be made; 0 now. Then it is the only one until its outcome is told. */
	wait(): number;
	/** Failures in a row. */
	readonly failures: number;
	/** It answered, whatever it said. */
	answered(): void;
	/** It did not answer. */
	failed(): void;
	/** The call was given up before anybody knew. */
	unknown(): void;
}

/** A breaker that lets everything through. `now` is monotonic. */
export function createBreaker(pauseMs: number, now: () => number = () => performance.now()): Breaker {
	let failures = 0;
	let closedUntil = 0;
	let isProbing = false;
	return {
		get failures() {
			return failures;
		},
		wait() {
			if (failures < mostFailures) return 0;
			const waitMs = closedUntil - now();
			if (waitMs > 0) return waitMs;
			// Somebody else is finding out right now.
			if (isProbing) return pauseMs;
			isProbing = true;
			return 0;
		},
		answered() {
			failures = 0;
			isProbing = false;
		},
		failed() {
			failures++;
			isProbing = false;
			closedUntil = now() + pauseMs;
		},
		unknown() {
			isProbing = false;
		},
	};
}
