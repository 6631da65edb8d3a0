/** One background process: what it printed, how it stands, and what can be done to it. */

import { settledWithin } from "../base/settled-within.ts";
import type { PooledShell } from "../environments/pool/task-shell.ts";
import type { Shell } from "../environments/shell/shell.ts";
import { closeFar, followFar, killFar, resizeFar, type Standing, type Taken, writeFar } from "./far/far-side.ts";
import type { ProcessEnd, ProcessRecord, TerminalSize } from "./process-record.ts";
import { RollingLines } from "./rolling-lines.ts";
import type { Screen } from "./screen/screen.ts";

/** Characters of output that are kept in memory. */
const keptCharacters = 200_000;

/** Between being asked and being forced. */
const graceSeconds = 3;
/** How long the news of an end may take after a kill. */
const newsLimitMs = 5_000;

const firstPauseMs = 50;
const longestPauseMs = 10_000;
/** A sandbox that cannot be reached so many times in a row has taken its processes with it. */
const triesAllowed = 20;

/** Who is told. */
export interface ProcessEvents {
	onLines(lines: readonly string[]): void;
	onEnd(end: ProcessEnd): void;
}

/** What a process needs. */
export interface ProcessOptions {
	readonly record: ProcessRecord;
	readonly shell: PooledShell;
	/** Aborted when nobody follows processes any more; they run on. */
	readonly signal: AbortSignal;
	readonly now: () => number;
	readonly events: ProcessEvents;
}

/** What became of a kill; `alive` are the numbers of those that could not be ended. */
export type Killed =
	| { readonly is: "gone" }
	| { readonly is: "already" }
	| { readonly is: "alive"; readonly pids: readonly number[] };

/** A process that runs, or has ended a while ago. */
export class BackgroundProcess {
	readonly #options: ProcessOptions;
	readonly #ended = Promise.withResolvers<ProcessEnd>();
	readonly #output = new RollingLines(keptCharacters);
	readonly #listeners = new Set<(bytes: Uint8Array) => void>();
	#record: ProcessRecord;
	#end: ProcessEnd | undefined;
	#offset = 0;
	#endedBy: ProcessEnd["source"];
	#screen: Screen | undefined;

	constructor(options: ProcessOptions) {
		this.#options = options;
		this.#record = options.record;
	}

	get record(): ProcessRecord {
		return this.#record;
	}

	/** Undefined while it runs. */
	get end(): ProcessEnd | undefined {
		return this.#end;
	}

	/** Settles when it has ended and everything it wrote is here. */
	get ended(): Promise<ProcessEnd> {
		return this.#ended.promise;
	}

	get output(): Pick<RollingLines, "range" | "total"> {
		return this.#output;
	}

	/** What its terminal shows; undefined when it has none. */
	get screen(): Screen | undefined {
		return this.#screen;
	}

	/** Changes what is to happen when it ends, or what has been read. */
	note(change: Partial<Pick<ProcessRecord, "notify" | "linesRead">>): void {
		this.#record = { ...this.#record, ...change };
	}

	/** Hands over output as it comes, from now on. */
	listen(listener: (bytes: Uint8Array) => void): Disposable {
		this.#listeners.add(listener);
		return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
	}

	/** Reads what it writes until it ends, through losses of the way to it. Never rejects. */
	async follow(): Promise<void> {
		const { terminal } = this.#record;
		if (terminal !== undefined) this.#screen = (await import("./screen/screen.ts")).createScreen(terminal);
		const { signal } = this.#options;
		const round: Round = { failures: 0, pauseMs: 0 };
		while (this.#end === undefined && !signal.aborted) {
			await this.#followRound(round);
			// Something new at once is looked at at once.
			if (this.#end === undefined && round.pauseMs > firstPauseMs) await pause(round.pauseMs, signal);
		}
	}

	/** Gives text to its input. @throws {BackendUnavailable} */
	async write(text: string): Promise<Taken> {
		if (this.#end !== undefined) return "ended";
		return await this.#inSandbox((shell) => writeFar(shell, this.#record, Buffer.from(text)));
	}

	/** Ends its input; on a terminal this is a key. @throws {BackendUnavailable} */
	async close(): Promise<Taken> {
		if (this.#end !== undefined) return "ended";
		if (this.#record.terminal !== undefined) return await this.write("\x04");
		return (await this.#inSandbox((shell) => closeFar(shell, this.#record))) ? "taken" : "ended";
	}

	/** Gives its terminal another size; false when it has none, or has ended. @throws {BackendUnavailable} */
	async resize(size: TerminalSize): Promise<boolean> {
		if (this.#end !== undefined || this.#record.terminal === undefined) return false;
		const isDone = await this.#inSandbox((shell) => resizeFar(shell, this.#record, size));
		if (!isDone) return false;
		this.#record = { ...this.#record, terminal: size };
		this.#screen?.resize(size);
		return true;
	}

	/** Ends it and all that it started, and looks whether they are gone. Not to be stopped half way. @throws {BackendUnavailable} */
	async kill(source: "process.kill" | "timeout" = "process.kill"): Promise<Killed> {
		if (this.#end !== undefined) return { is: "already" };
		this.#endedBy = source;
		const pids = await this.#inSandbox((shell) => killFar(shell, this.#record, graceSeconds));
		if (pids.length > 0) {
			this.#endedBy = undefined;
			return { is: "alive", pids };
		}
		await settledWithin(this.ended, newsLimitMs);
		return { is: "gone" };
	}

	#inSandbox<T>(use: (shell: Shell) => Promise<T>): Promise<T> {
		// What was begun is finished: an interrupted call must not leave half of it.
		return this.#options.shell.use(new AbortController().signal, use);
	}

	async #followRound(round: Round): Promise<void> {
		const before = this.#offset;
		try {
			this.#settle(await this.#followOnce());
			round.failures = 0;
			round.pauseMs = this.#offset > before ? 0 : Math.min(Math.max(round.pauseMs * 2, firstPauseMs), longestPauseMs);
		} catch (cause) {
			if (this.#options.signal.aborted) return;
			round.failures++;
			round.pauseMs = Math.min(firstPauseMs * 2 ** round.failures, longestPauseMs);
			if (round.failures >= triesAllowed) this.#lost(cause instanceof Error ? cause.message : String(cause));
		}
	}

	#followOnce(): Promise<Standing> {
		const { shell, signal } = this.#options;
		return shell.use(signal, async (opened, either): Promise<Standing> => {
			const { ranOn, folder } = this.#record;
			if (opened.ranOn !== ranOn) return { is: "lost", why: `the sandbox ${ranOn} is gone` };
			const onBytes = (bytes: Uint8Array) => this.#take(bytes);
			return await followFar(opened, { folder, offset: this.#offset, onBytes }, either);
		});
	}

	#take(bytes: Uint8Array): void {
		this.#offset += bytes.length;
		const lines = this.#output.push(bytes);
		this.#show(bytes);
		for (const listener of this.#listeners) listener(bytes);
		if (lines.length > 0) this.#options.events.onLines(lines);
	}

	#show(bytes: Uint8Array): void {
		const reply = this.#screen?.push(bytes) ?? "";
		if (reply !== "") void this.write(reply).catch(() => undefined);
	}

	#settle(standing: Standing): void {
		if (standing.is === "skipped") {
			this.#output.skip(`[${standing.offset - this.#offset} bytes of output are not kept]`);
			this.#offset = standing.offset;
		} else if (standing.is === "lost") this.#lost(standing.why);
		else if (standing.is === "exited") {
			const by =
				this.#endedBy === undefined
					? { reason: "exited" as const }
					: { reason: "killed" as const, source: this.#endedBy };
			this.#finish({ exitCode: standing.exitCode, ...by, at: this.#options.now() });
		}
	}

	#lost(why: string): void {
		this.#finish({ exitCode: -1, reason: "lost", source: "backend_lost", at: this.#options.now(), why });
	}

	#finish(end: ProcessEnd): void {
		const lines = this.#output.end();
		if (lines.length > 0) this.#options.events.onLines(lines);
		this.#end = end;
		this.#options.events.onEnd(end);
		this.#ended.resolve(end);
	}
}

/** How the last tries to follow went. */
interface Round {
	failures: number;
	pauseMs: number;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve(), { once: true });
	await promise;
	clearTimeout(timer);
}
