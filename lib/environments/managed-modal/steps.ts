/** Steps of our own in a managed sandbox: short scripts, repeated until the service has run one. */

import { backoffMs } from "../../base/backoff.ts";
import { BackendUnavailable } from "../backend.ts";
import { GatewayBusy, pause } from "./client.ts";
import { type ExecEnd, ExecLost, type ExecPlace, type ExecRequest, runExec } from "./execs.ts";

/** A service that is silent for this long has lost the sandbox. */
const patienceMs = 60_000;

/** What one step may take besides what it waits for. */
export const stepMs = 30_000;

/**
 * Runs a script to its end. It may run twice.
 * @throws {BackendUnavailable} When the sandbox is gone, or the service does not run it for a minute.
 * @throws The reason of the signal.
 */
export async function runStep(place: ExecPlace, request: ExecRequest): Promise<ExecEnd> {
	const giveUpAt = performance.now() + patienceMs;
	for (let attempt = 0; ; attempt++) {
		try {
			return await tryStep(place, request);
		} catch (cause) {
			if (!(cause instanceof StepFailed)) throw cause;
			const waitMs = cause.retryAfterMs ?? backoffMs(attempt);
			if (performance.now() + waitMs > giveUpAt) throw notAnswered(place, cause);
			await pause(waitMs, request.signal);
		}
	}
}

/** The service did not run a step, or its answer was lost. */
export class StepFailed extends Error {
	override readonly name = "StepFailed";
	readonly retryAfterMs: number | undefined;

	constructor(message: string, options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {}) {
		super(message, { cause: options.cause });
		this.retryAfterMs = options.retryAfterMs;
	}
}

/** Runs a script once. @throws {StepFailed} @throws {BackendUnavailable} @throws The reason of the signal. */
export async function tryStep(place: ExecPlace, request: ExecRequest): Promise<ExecEnd> {
	try {
		const end = await runExec(place, request);
		if (end.status === "completed" || end.output !== "") return end;
		throw new StepFailed(`the service says that it ${end.status}`);
	} catch (cause) {
		if (cause instanceof GatewayBusy) throw new StepFailed(cause.message, { retryAfterMs: cause.retryAfterMs, cause });
		if (cause instanceof ExecLost) throw new StepFailed(cause.message, { cause });
		throw cause;
	}
}

/** What is said when patience is over. */
export function notAnswered({ sandboxId }: ExecPlace, { message }: StepFailed): BackendUnavailable {
	return new BackendUnavailable(`Cannot use the managed sandbox ${sandboxId}: ${message}`);
}
