/** Fetches what a program says, from where it left off, until it has ended and everything it wrote is here. */

import { backoffMs } from "../../base/backoff.ts";
import { BackendUnavailable, ProcessLost } from "../backend.ts";
import { beginning, type Cursor, type FetchAnswer, type Fetched, readFetched } from "./answer.ts";
import { pause } from "./client.ts";
import { type ExecEnd, goneMeanwhile, SandboxGone } from "./execs.ts";
import { OutputFeed } from "./output-feed.ts";
import type { GreetedPlace, Program } from "./program.ts";
import { commandLine, readScript } from "./scripts.ts";
import { notAnswered, StepFailed, stepMs, tryStep } from "./steps.ts";

/** Fetched at once: bounded, so that an answer that is lost costs little to ask for again. */
const mostBytes = 2 * 1024 * 1024;
const leastBytes = 16 * 1024;

/** How long the sandbox waits for something to tell before it says that there is nothing. */
const waitMs = 5_000;

/** After the end, while another process holds the output: how long it may be silent, and how often it is asked. */
const silentMs = 150;
const silentRounds = 3;

/** The end is known, but the program had closed its output, or the disk there was full: then no mark will come. */
const markRounds = 12;

/** Answers in a row that are not whole, although each was asked to be shorter. */
const mostCuts = 12;

/** A service that is silent for this long has lost the sandbox. */
const patienceMs = 60_000;

/** A program as it is followed. */
export interface Followed {
	readonly output: ReadableStream<Uint8Array>;
	readonly control: ReadableStream<Uint8Array> | undefined;
	readonly exited: Promise<number>;
}

/** Size of the next answer, shared by what runs in one sandbox: a service that cuts them does so to all. */
export interface FetchSize {
	bytes: number;
}

/** An answer, or why there is none. */
type Asked = FetchAnswer & { readonly failed?: StepFailed };
type NoFetch = Exclude<Asked, { readonly is: "fetched" }>;

function reasonOf({ failed }: NoFetch): StepFailed {
	return failed ?? new StepFailed("its answers do not come whole");
}

/** The size to begin with. */
export function usualFetchSize(): FetchSize {
	return { bytes: mostBytes };
}

/** What to follow. */
export interface FollowOptions {
	readonly place: GreetedPlace;
	readonly program: Program;
	readonly size: FetchSize;
	/** Starts the program and tells what it says first; called again when its answer was lost. */
	launch(): Promise<ExecEnd>;
}

/** Follows a program from its start on. */
export function followProgram(options: FollowOptions): Followed {
	return new Follower(options);
}

class Follower implements Followed {
	readonly output: ReadableStream<Uint8Array>;
	readonly control: ReadableStream<Uint8Array> | undefined;
	readonly exited: Promise<number>;
	readonly #options: FollowOptions;
	readonly #output: OutputFeed;
	readonly #control = new OutputFeed(undefined);
	readonly #exited = Promise.withResolvers<number>();
	#cursor: Cursor = beginning;
	/** Nothing has been heard of it yet. */
	#isUnheard = true;
	#hasEnded = false;
	#isDrained = false;
	#silentRounds = 0;

	constructor(options: FollowOptions) {
		this.#options = options;
		this.#output = new OutputFeed(`\x1e${options.program.mark}`);
		this.output = this.#output.stream;
		this.control = options.program.options.control ? this.#control.stream : undefined;
		this.exited = this.#exited.promise;
		// Whoever waits for it is told; nobody has to.
		this.exited.catch(() => undefined);
		this.#run().catch((cause) => this.#fail(cause));
	}

	async #run(): Promise<void> {
		this.#take(await this.#fetched(() => this.#options.launch()));
		while (!this.#isOver()) {
			await this.#output.hasRoom();
			this.#take(await this.#fetched(() => this.#read()));
		}
		this.#close();
	}

	/** Asks again until there is an answer: nothing is lost by that, since it is said from where on. */
	async #fetched(first: () => Promise<ExecEnd>): Promise<Fetched> {
		const giveUpAt = performance.now() + patienceMs;
		for (let attempt = 0; ; attempt++) {
			// A start that failed may have been one: then there is something to read.
			const isFirst = attempt % 2 === 0;
			const answer = await this.#answer(isFirst ? first : () => this.#read(), attempt === 0 && this.#isUnheard);
			if (answer.is === "fetched") return answer.fetched;
			const waitMs = this.#waitAfter(answer, { attempt, isFirst });
			if (performance.now() + waitMs > giveUpAt) throw notAnswered(this.#options.place, reasonOf(answer));
			await pause(waitMs, new AbortController().signal);
		}
	}

	/** How long to wait before asking again. Throws what there is to say when that would not help. */
	#waitAfter(answer: NoFetch, { attempt, isFirst }: { readonly attempt: number; readonly isFirst: boolean }): number {
		const { place, size } = this.#options;
		if (answer.is === "failed")
			throw new BackendUnavailable(`Cannot start a command on ${place.sandboxId}: ${answer.why}`);
		if (answer.is === "gone" && isFirst) throw new ProcessLost(`its files in ${place.sandboxId} are gone`);
		// An answer that did not come, or not whole, may have been too long for the way it takes.
		if (answer.is === "cut") size.bytes = Math.max(leastBytes, Math.floor(size.bytes / 2));
		const reason = reasonOf(answer);
		if (answer.failed === undefined && attempt >= mostCuts) throw notAnswered(place, reason);
		return reason.retryAfterMs ?? backoffMs(attempt);
	}

	async #answer(step: () => Promise<ExecEnd>, isUnheard: boolean): Promise<Asked> {
		try {
			return readFetched((await step()).output, this.#options.program.mark);
		} catch (cause) {
			// Only the very first request of a program can tell that nothing of it was started.
			if (cause instanceof SandboxGone && !isUnheard) throw goneMeanwhile(this.#options.place, cause);
			if (!(cause instanceof StepFailed)) throw cause;
			return { is: "cut", failed: cause };
		}
	}

	#read(): Promise<ExecEnd> {
		const { place, program, size } = this.#options;
		const { piece, offset, control } = this.#cursor;
		const afterEnd = this.#hasEnded ? silentMs : 40;
		const words = [program.mark, program.folder, piece, offset, control, size.bytes, waitMs, afterEnd].map(String);
		const command = commandLine(readScript(place.tools), words);
		// Not the caller's signal: an interrupted program is followed until it has ended.
		return tryStep(place, { command, timeoutMs: waitMs + stepMs, signal: new AbortController().signal });
	}

	#take({ output, control, exitCode, isDrained, cursor }: Fetched): void {
		this.#isUnheard = false;
		this.#cursor = cursor;
		for (const part of output) this.#output.push(part);
		if (control !== undefined) this.#control.push(control);
		if (this.#hasEnded) this.#silentRounds = output.length === 0 ? this.#silentRounds + 1 : 0;
		this.#isDrained = isDrained;
		if (exitCode === undefined) return;
		this.#hasEnded = true;
		// Control is a file, so all of it is here with the end.
		this.#control.close();
		this.#exited.resolve(exitCode);
	}

	#isOver(): boolean {
		if (!this.#hasEnded) return false;
		const rounds = this.#output.isMarked ? 1 : markRounds;
		return this.#isDrained || this.#silentRounds >= rounds || this.#output.partsAfterMark >= silentRounds;
	}

	#close(): void {
		this.#output.close();
		this.#options.place.leftOver.add(this.#options.program.folder);
		this.#onClosed();
	}

	/** Somebody may write on, and must not have to wait until the next start for a reader. */
	#onClosed(): void {
		if (this.#isDrained) return;
		const { place, program } = this.#options;
		place.leftOver.delete(program.folder);
		const command = commandLine('rm -rf -- "$1"', [program.folder]);
		const signal = new AbortController().signal;
		tryStep(place, { command, timeoutMs: stepMs, signal }).catch(() => place.leftOver.add(program.folder));
	}

	#fail(cause: unknown): void {
		this.#exited.reject(cause);
		this.#output.fail(cause);
		this.#control.fail(cause);
	}
}
