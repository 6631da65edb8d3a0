/** Brings a sandbox of Daytona's into the state in which it runs processes. */

import type { Sandbox } from "@daytona/sdk";
import { untilAborted } from "../../../base/abort.ts";
import { BackendUnavailable } from "../../backend.ts";
import { patiently } from "../patience.ts";
import { conflict, missing, serviceError, unavailable } from "../service-error.ts";

/** How long a sandbox may take to start. */
export const startLimitMs = 300_000;

const pollMs = 500;

/** A user who waits is told how it goes. */
const toldEveryMs = 10_000;

/** The sandbox does not exist any more, and with it its files. */
export class SandboxGone extends BackendUnavailable {}

/** Who is told what goes on. */
export interface BringUpOptions {
	readonly signal: AbortSignal;
	tell(line: string): void;
}

/** States of a sandbox that is there and rests. */
const resting: ReadonlySet<string> = new Set(["stopped", "archived", "paused"]);
const broken: ReadonlySet<string> = new Set(["error", "build_failed"]);
const gone: ReadonlySet<string> = new Set(["destroyed", "destroying"]);

/** As the user knows it. */
export function nameOf({ name }: Sandbox): string {
	return `the Daytona sandbox ${name}`;
}

/**
 * Starts it if it does not run, and waits for whatever else the service does with it. The limits are those of timers: what the
 * clocks say, here or there, plays no part.
 * @throws {SandboxGone} When it was deleted.
 * @throws {BackendUnavailable} When it does not come up: files of the user are in it, so nothing takes its place.
 */
export async function bringUp(sandbox: Sandbox, { signal, tell }: BringUpOptions): Promise<void> {
	const limit = AbortSignal.timeout(startLimitMs);
	const either = AbortSignal.any([signal, limit]);
	try {
		await untilAborted(untilStarted(sandbox, { signal: either, tell }), either);
	} catch (cause) {
		signal.throwIfAborted();
		if (!limit.aborted) throw cause;
		throw new BackendUnavailable(
			`Cannot start ${nameOf(sandbox)}: after ${startLimitMs / 1000} s it is still ${stateOf(sandbox)}`,
			{ cause },
		);
	}
}

async function untilStarted(sandbox: Sandbox, { signal, tell }: BringUpOptions): Promise<void> {
	let toldAt = performance.now();
	for (;;) {
		signal.throwIfAborted();
		await refresh(sandbox, signal);
		const state = stateOf(sandbox);
		if (state === "started") return;
		throwIfBroken(sandbox, state);
		if (resting.has(state)) {
			tell(`Starting ${nameOf(sandbox)}, which was ${state}`);
			await requestStart(sandbox, signal);
			continue;
		}
		if (performance.now() - toldAt > toldEveryMs) {
			toldAt = performance.now();
			tell(`Waiting for ${nameOf(sandbox)}, which is ${state.replaceAll("_", " ")}`);
		}
		await Bun.sleep(pollMs);
	}
}

/** Asks what state it is in. @throws {SandboxGone} @throws {BackendUnavailable} */
export async function refresh(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
	try {
		await patiently(() => sandbox.refreshData(), { signal });
	} catch (cause) {
		signal.throwIfAborted();
		if (serviceError(cause).status === missing) throw goneError(sandbox, cause);
		throw unavailable(`Cannot use ${nameOf(sandbox)}`, cause);
	}
}

/** The service may be starting it already, for somebody else. */
async function requestStart(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
	try {
		await patiently(() => sandbox.start(0), { signal });
	} catch (cause) {
		signal.throwIfAborted();
		if (serviceError(cause).status === conflict) return void (await Bun.sleep(pollMs));
		const { reason } = serviceError(cause);
		if (broken.has(stateOf(sandbox))) throwIfBroken(sandbox, stateOf(sandbox));
		throw unavailable(`Cannot start ${nameOf(sandbox)}, whose files are kept there`, reason ? cause : undefined);
	}
}

/** @throws {BackendUnavailable} When nothing will make it run but the user. */
function throwIfBroken(sandbox: Sandbox, state: string): void {
	if (gone.has(state)) throw goneError(sandbox);
	if (!broken.has(state)) return;
	const why = sandbox.errorReason || "the service gives no reason";
	const advice = sandbox.recoverable
		? "recover it in Daytona's dashboard"
		: "delete it in Daytona's dashboard to get a new one";
	throw new BackendUnavailable(`Cannot start ${nameOf(sandbox)}: it is in an error state (${why}); ${advice}`);
}

/** The state that was last seen. */
export function stateOf({ state }: Sandbox): string {
	return state ?? "unknown";
}

function goneError(sandbox: Sandbox, cause?: unknown): SandboxGone {
	return new SandboxGone(`Cannot use ${nameOf(sandbox)}: it was deleted or has expired, and its files with it`, {
		cause,
	});
}
