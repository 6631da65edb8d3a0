/** Starts one program in a managed sandbox and makes of it what the shell above expects. */

import { untilAborted } from "../../base/abort.ts";
import type { Running, StartOptions } from "../backend.ts";
import { callMark } from "../call-marks.ts";
import { SandboxGone } from "./execs.ts";
import { type FetchSize, type Followed, followProgram } from "./follow.ts";
import { pipeInto } from "./input-pipe.ts";
import { type GreetedPlace, type Program, planProgram, prepareLaunch } from "./program.ts";
import { commandLine, endScript } from "./scripts.ts";
import { runStep, stepMs, tryStep } from "./steps.ts";

/** A service that has not said within this time that it took a program has most likely taken it. */
const takenWithinMs = 1_000;

/**
 * Starts `argv`. One that is not there is a process that says so and exits 127.
 * @throws {SandboxGone} When it is gone, and nothing was started.
 * @throws {BackendUnavailable} When it runs nothing.
 * @throws {Error} For a program on a terminal: the service has none.
 */
export async function startProgram(
	place: GreetedPlace,
	argv: readonly string[],
	{ options, size }: { readonly options: StartOptions; readonly size: FetchSize },
): Promise<Running> {
	const { signal } = options;
	signal.throwIfAborted();
	if (options.pty !== undefined) throw new Error("Cannot start a program on a terminal: managed sandboxes have none");
	const program = planProgram(place, argv, options);
	const prepared = await prepareLaunch(place, program, size.bytes);
	const taken = Promise.withResolvers<void>();
	// Not the caller's signal: once it was taken, only `kill` ends it.
	const launching = new AbortController();
	const launch = () => tryStep(place, { ...prepared, signal: launching.signal, onTaken: taken.resolve });
	const followed = followProgram({ place, program, size, launch });
	const timer = setTimeout(taken.resolve, takenWithinMs);
	try {
		await untilAborted(Promise.race([taken.promise, followed.exited]), signal);
	} catch (cause) {
		if (signal.aborted) abandon(place, program, launching);
		throw cause;
	} finally {
		clearTimeout(timer);
	}
	return runningOf(place, program, followed);
}

/** Nobody waits for it: a service that is slow would hold up the interrupt. */
function abandon(place: GreetedPlace, program: Program, launching: AbortController): void {
	launching.abort(new Error("Cannot start the program: it is not wanted any more"));
	// Its folder stays: a request that is still on its way must find it.
	endProgram(place, program, ["end", "for-good"]).catch(() => undefined);
}

function runningOf(place: GreetedPlace, program: Program, { output, control, exited }: Followed): Running {
	let killing: Promise<void> | undefined;
	return {
		...(program.options.stdin === "pipe" && { stdin: pipeInto(place, program, exited) }),
		output,
		...(control && { control }),
		exited,
		async kill(signal) {
			if (signal !== undefined) return endProgram(place, program, [signal.replace(/^SIG/, "")]);
			killing ??= endProgram(place, program, ["end"]);
			await killing;
		},
	};
}

/** Not the caller's signal: it has aborted. */
async function endProgram(place: GreetedPlace, { folder, call }: Program, how: readonly string[]): Promise<void> {
	const command = commandLine(endScript, [folder, `${callMark}=${call}`, ...how]);
	const step = { command, timeoutMs: stepMs, signal: new AbortController().signal };
	await runStep(place, step).catch((cause) => {
		// A sandbox that is gone has taken its programs with it.
		if (!(cause instanceof SandboxGone)) throw cause;
	});
}
