/** Waits for a command: until it ends by itself, its time is over, or the user interrupts. */

import { ProcessLost, type Running } from "../backend.ts";
import type { Outcome } from "../outcome.ts";

/** Exit codes of coreutils `timeout` and of a shell after Ctrl-C. */
const timedOutCode = 124;
const interruptedCode = 130;

/** How a command ended. */
export interface Ending {
	readonly ended: Outcome["ended"];
	readonly exitCode: number;
	/** Why it was interrupted, when it was not the user. */
	readonly reason?: string;
}

/** The end of `running`; one that did not end by itself is killed with everything it started. */
export async function untilEnded(
	running: Pick<Running, "exited" | "kill">,
	limits: { readonly timeoutSeconds?: number | undefined; readonly signal: AbortSignal },
): Promise<Ending> {
	const { signal, timeoutSeconds } = limits;
	const { promise: stopped, resolve: stop } = Promise.withResolvers<Ending>();
	const interrupt = () => stop({ ended: "interrupted", exitCode: interruptedCode });
	const expire = () => stop({ ended: "timed_out", exitCode: timedOutCode });
	const timer = timeoutSeconds === undefined ? undefined : setTimeout(expire, timeoutSeconds * 1000);
	signal.addEventListener("abort", interrupt, { once: true });
	if (signal.aborted) interrupt();
	try {
		const exited = running.exited.then((exitCode): Ending => ({ ended: "exited", exitCode }), lostEnding);
		const ending = await Promise.race([exited, stopped]);
		if (ending.ended !== "exited") await running.kill();
		return ending;
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", interrupt);
	}
}

/** A command that nobody can follow any more was ended by whoever noticed. */
export function lostEnding(cause: unknown): Ending {
	if (!(cause instanceof ProcessLost)) throw cause;
	return { ended: "interrupted", exitCode: interruptedCode, reason: cause.message };
}
