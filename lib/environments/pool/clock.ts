/** Waiting for an idle sandbox to become old: a clock of its own, so that tests need not wait. */

/** Runs something later. Wall-clock time plays no part: a machine whose clock is set closes nothing early or late. */
export interface Clock {
	/** Runs `action` once after `seconds`, unless it is disposed of first. Does not keep the process alive. */
	after(seconds: number, action: () => void): Disposable;
}

/** Timers fire at once when they are asked to wait for longer. */
const longestWaitMs = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
	after(seconds, action) {
		const timer = setTimeout(action, Math.min(seconds * 1000, longestWaitMs));
		timer.unref();
		return { [Symbol.dispose]: () => clearTimeout(timer) };
	},
};
