/** A local host behind a fence: it is tried once, so that a system that forbids it says so before anything runs. */

import type { Running, StartOptions } from "../../backend.ts";
import type { LocalHost } from "../local-host.ts";
import { startLocal } from "../start-local.ts";
import { type FencePlace, planFence, refused } from "./fence.ts";

/** Starts a process. */
export type Start = (argv: readonly string[], options: StartOptions) => Running;

const trialSeconds = 10;

/**
 * Starts processes behind the fence of `place`.
 * @throws {BackendUnavailable} When the system has no fence, or does not let us build one.
 */
export async function startFenced(host: LocalHost, place: FencePlace, signal: AbortSignal): Promise<Start> {
	const fence = planFence(place);
	const start: Start = (argv, options) => startLocal(host, fence.wrap(argv), options);
	const limit = AbortSignal.any([signal, AbortSignal.timeout(trialSeconds * 1_000)]);
	const trial = start(["/bin/sh", "-c", "exit 0"], { env: {}, cwd: "/", stdin: "none", signal: limit });
	const [said, code] = await Promise.all([new Response(trial.output).text(), trial.exited]);
	if (code === 0) return start;
	const why = said.trim().split("\n").at(-1) || `exit code ${code}`;
	throw refused(place.kind, `the system does not allow it (${why}); user namespaces may be switched off`);
}
