/** Ends a turn in which nothing happens any more: what counts is the time since something last did, not how long it takes. */

/** Watches one turn. */
export interface Activity extends Disposable {
	/** Aborted when nothing has happened for too long. */
	readonly signal: AbortSignal;
	/** Something happened: a part of an answer, output of a tool. */
	touch(): void;
	/** While the user is waited for, nothing has to happen. Disposing goes on watching. */
	pause(): Disposable;
}

/** The reason of the signal of an idle turn. */
export class TurnIdle extends Error {
	override readonly name = "TurnIdle";
}

/** Watches until it is disposed of; without a limit it only has the methods. */
export function watchActivity(idleMs: number | undefined): Activity {
	const controller = new AbortController();
	let last = performance.now();
	let pauses = 0;
	let timer: Timer | undefined;
	// One timer that looks whether it was right to ring, not one for each part of an answer.
	const arm = (limit: number, wait: number) => {
		timer = setTimeout(() => {
			const idle = pauses > 0 ? 0 : performance.now() - last;
			if (idle < limit) return arm(limit, limit - idle);
			controller.abort(new TurnIdle(`Cannot go on: nothing has happened for ${Math.round(limit / 1000)} s`));
		}, wait);
	};
	if (idleMs !== undefined) arm(idleMs, idleMs);
	const touch = () => {
		last = performance.now();
	};
	return {
		signal: controller.signal,
		touch,
		pause() {
			pauses++;
			return {
				[Symbol.dispose]() {
					pauses--;
					touch();
				},
			};
		},
		[Symbol.dispose]: () => clearTimeout(timer),
	};
}
