/** How long the calls of one server may take; the time of all stands still while somebody is asked something. */

/** The time of one call. */
export interface Deadline extends Disposable {
	/** Aborted when the time is over. */
	readonly signal: AbortSignal;
	/** Gives the whole time again: the server showed that it is at work. */
	extend(): void;
}

interface Running {
	start(): void;
	stop(): void;
}

/** Calls of one server. */
export class Deadlines {
	readonly #running = new Set<Running>();
	#paused = 0;

	/** Starts the time of a call. */
	begin(limitMs: number): Deadline {
		const controller = new AbortController();
		let timer: Timer | undefined;
		const running: Running = {
			stop: () => clearTimeout(timer),
			start: () => {
				clearTimeout(timer);
				timer = setTimeout(() => controller.abort(new Error("no answer in time")), limitMs);
			},
		};
		this.#running.add(running);
		if (this.#paused === 0) running.start();
		return {
			signal: controller.signal,
			extend: () => {
				if (this.#paused === 0) running.start();
			},
			[Symbol.dispose]: () => {
				running.stop();
				this.#running.delete(running);
			},
		};
	}

	/** No call runs out of time while `wait` runs; afterwards each has its whole time again. */
	async whilePaused<T>(wait: () => Promise<T>): Promise<T> {
		this.#paused++;
		for (const running of this.#running) running.stop();
		try {
			return await wait();
		} finally {
			this.#paused--;
			if (this.#paused === 0) for (const running of this.#running) running.start();
		}
	}
}
