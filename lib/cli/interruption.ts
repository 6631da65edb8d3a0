/** What stops a run: Ctrl-C, SIGTERM, SIGHUP, or a reader of our output that went away. */

import { exitCodes } from "./exit-codes.ts";

/** The stop of one run, made once in the process. */
export interface Interruption {
	/** Aborted when the run has to end. */
	readonly signal: AbortSignal;
	/** The exit code of a run that was stopped; undefined while nothing stopped it. */
	exitCode(): number | undefined;
	/** Ends the run with `exitCode`. */
	stop(exitCode: number): void;
	/** One turn of a conversation: while it is open, the first Ctrl-C aborts the turn and not the run. */
	openTurn(): Disposable & { readonly signal: AbortSignal };
}

/** How long the run may take to put its things away after a signal before the process just leaves: containers take a while. */
const graceMs = 20_000;

/** Starts listening to signals. A second Ctrl-C leaves at once; the watchdog then ends what commands still run. */
export function listenForInterruption(): Interruption {
	const run = new AbortController();
	let turn: AbortController | undefined;
	let code: number | undefined;

	const stop = (exitCode: number) => {
		code ??= exitCode;
		setTimeout(() => process.exit(code), graceMs).unref();
		run.abort(new Error("Cannot go on: the run was interrupted"));
	};
	process.on("SIGINT", () => {
		const current = turn ?? run;
		if (current.signal.aborted) process.exit(exitCodes.interrupted);
		if (turn === undefined) stop(exitCodes.interrupted);
		else turn.abort(new Error("Cannot go on: the turn was interrupted"));
	});
	process.on("SIGTERM", () => stop(128 + 15));
	process.on("SIGHUP", () => stop(128 + 1));

	return {
		signal: run.signal,
		exitCode: () => code,
		stop,
		openTurn() {
			const opened = new AbortController();
			turn = opened;
			return {
				signal: AbortSignal.any([run.signal, opened.signal]),
				[Symbol.dispose]() {
					turn = undefined;
				},
			};
		},
	};
}
