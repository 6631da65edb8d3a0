/** Notices that a delegation has come to a lull: some of its children have ended, and for a while no other does. */

/** Milliseconds after which the agent is told of those that have ended. */
export const usualLullMs = 60_000;

/** Watches one delegation until it is disposed of. */
export interface LullWatch extends Disposable {
	/** A child has ended. */
	touch(): void;
}

/** Calls `onLull` once for every time in which children have ended and then, for `lullMs`, none has. */
export function watchForLull(lullMs: number, onLull: () => void): LullWatch {
	let timer: Timer | undefined;
	return {
		touch() {
			clearTimeout(timer);
			timer = setTimeout(onLull, lullMs);
		},
		[Symbol.dispose]: () => clearTimeout(timer),
	};
}
