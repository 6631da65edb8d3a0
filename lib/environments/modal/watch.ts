/** Knows when a Modal sandbox has ended, whoever ended it. */

import { codeOf, status } from "./failures.ts";
import type { Handle } from "./handle.ts";

/** A sandbox under watch. */
export interface Watch {
	/** Settles with the reason when it has ended. Never rejects. */
	readonly ended: Promise<string>;
	readonly hasEnded: boolean;
	/** Asks no more; `ended` settles no more. */
	stop(): void;
}

/** Between questions, when the way to Modal is cut. */
const pauseMs = 5_000;

/** The code that the library gives for a sandbox whose time was over. */
const timeOver = 124;

/** Asks Modal to say when the sandbox ends. */
export function watchSandbox(handle: Handle): Watch {
	const ended = Promise.withResolvers<string>();
	let isStopped = false;
	let hasEnded = false;
	const end = (reason: string) => {
		if (isStopped) return;
		hasEnded = true;
		ended.resolve(reason);
	};
	const watch = async () => {
		while (!isStopped) {
			try {
				// A question of ten seconds at a time, so one that is not stopped holds nothing up for longer.
				const code = await handle.withHandle((sandbox) => sandbox.wait());
				return end(code === timeOver ? "the sandbox's time was over and Modal ended it" : "Modal ended the sandbox");
			} catch (cause) {
				if (codeOf(cause) === status.notFound) return end("the sandbox is gone");
				await new Promise<void>((resolve) => void setTimeout(resolve, pauseMs).unref());
			}
		}
	};
	void watch();
	return {
		ended: ended.promise,
		get hasEnded() {
			return hasEnded;
		},
		stop() {
			isStopped = true;
		},
	};
}
