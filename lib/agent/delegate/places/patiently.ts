/** Work that must not be lost because an engine was away for a moment. */

import { BackendUnavailable, SandboxGone } from "../../../environments/backend.ts";

/** Before each new try: a daemon that starts again is back after some seconds. */
const pausesMs = [1_000, 5_000, 15_000];

/**
 * Does `work` again when its backend did not answer; `work` must be one that may be done twice.
 * @throws What `work` throws for another reason, at once, and what it throws at last.
 */
export async function patiently<T>(work: () => Promise<T>, pauses: readonly number[] = pausesMs): Promise<T> {
	for (const pauseMs of pauses) {
		try {
			return await work();
		} catch (cause) {
			if (!(cause instanceof BackendUnavailable) || cause instanceof SandboxGone) throw cause;
		}
		await Bun.sleep(pauseMs);
	}
	return await work();
}
