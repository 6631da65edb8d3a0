/** Notices that a child does not come any further: what counts is progress, not how long the whole takes. */

/** Milliseconds without progress, between calls and inside one. */
export interface StallLimits {
	readonly idleMs: number;
	readonly inToolMs: number;
}

/** Nobody thinks longer over an answer; a build or a test may well print nothing for a while. */
export const usualStallLimits: StallLimits = { idleMs: 450_000, inToolMs: 1_200_000 };

/** Watches one child until it is disposed of. */
export interface StallWatch extends Disposable {
	/** Something happened. */
	touch(): void;
}

/** Calls `onStall` once, with how long nothing has happened and in which tool. */
export function watchForStall(
	limits: StallLimits,
	runningTool: () => string | undefined,
	onStall: (why: string) => void,
): StallWatch {
	let last = performance.now();
	let timer: Timer | undefined;
	// One timer that looks whether it was right to ring, not one for each event.
	const look = () => {
		const tool = runningTool();
		const silent = performance.now() - last;
		const limit = tool === undefined ? limits.idleMs : limits.inToolMs;
		if (silent < limit) {
			timer = setTimeout(look, Math.min(limit - silent, limits.idleMs) + 1);
			return;
		}
		const where = tool === undefined ? "while the model was asked" : `inside ${tool}`;
		onStall(`Nothing has happened for ${Math.round(silent / 1000)} s, ${where}`);
	};
	look();
	return {
		touch() {
			last = performance.now();
		},
		[Symbol.dispose]: () => clearTimeout(timer),
	};
}
