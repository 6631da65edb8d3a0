/** Writes the record of a delegation as it goes on, and not more often than a disk should be bothered with it. */

/** Milliseconds between two writes; what happened in between is what a crash can lose. */
const pauseMs = 300;

/** Disposing it writes what is not written yet. */
export interface RecordKeeper extends Disposable {
	/** Something has changed. `now`: it must not be lost. */
	changed(now: boolean): void;
}

/** `write` writes how it stands then; it must not throw. */
export function keepRecord(write: () => void): RecordKeeper {
	let last = Number.NEGATIVE_INFINITY;
	let timer: Timer | undefined;
	const save = () => {
		clearTimeout(timer);
		timer = undefined;
		last = performance.now();
		write();
	};
	return {
		changed(now) {
			const wait = last + pauseMs - performance.now();
			if (now || wait <= 0) save();
			else timer ??= setTimeout(save, wait);
		},
		[Symbol.dispose]() {
			if (timer !== undefined) save();
		},
	};
}
