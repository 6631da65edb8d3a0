/** The files of one sandbox: pushed before commands when they have changed, what may come back pulled when it closes. */

import { hostname } from "node:os";
import { untilAborted } from "../../base/abort.ts";
import { reasonOf } from "../../base/attempt.ts";
import type { Sandbox } from "../backend.ts";
import { type BroughtBack, bringBack, nothingBack } from "./bring-back.ts";
import type { EarlierRun } from "./earlier-run.ts";
import type { FarFile } from "./far-record.ts";
import { type FarSide, openFarSide } from "./far-side.ts";
import { LocalFiles } from "./local-files.ts";
import { type PushReport, push } from "./push.ts";
import { type SyncSources, topNames } from "./sync-sources.ts";

/** What a sync needs to know of this machine. */
export interface SyncHost {
	/** Asked before every push. */
	sources(): SyncSources;
	/** HERMES_HOME, absolute. */
	readonly home: string;
	/** The user's own home folder. */
	readonly userHome: string;
	/** What was in a sandbox when it was first opened, by its name: sandboxes that are opened again share it. */
	readonly firstSeen?: Map<string, ReadonlyMap<string, FarFile>>;
	/** Every command looks for changes, however short ago the last one did. */
	readonly isEager?: boolean;
	/** One line for a person, when something takes long. */
	onProgress?(line: string): void;
	/** One line for a person, when something did not work or was decided against the sandbox. */
	onWarning(line: string): void;
	/** Milliseconds of a clock that is never set. */
	readonly now?: () => number;
	/** Pauses between the attempts to bring files back, in milliseconds. */
	readonly pullPausesMs?: readonly number[];
}

/** What became of a push. */
export type PushOutcome =
	| ({ readonly is: "pushed" } & PushReport)
	/** Too early, or closing. */
	| { readonly is: "skipped" }
	| { readonly is: "failed"; readonly reason: string };

/** The sync of one sandbox. It never throws but for the caller's own signal: commands run with what is there. */
export interface FileSync {
	/** Brings the sandbox up to date, when it is time to look. Callers at the same time share one push. */
	push(signal: AbortSignal): Promise<PushOutcome>;
	/** What has to be said to the model since it was last asked. */
	takeWarning(): string | undefined;
	/** Ends a push under way and brings back what may come back. The sandbox must still be usable. */
	pull(): Promise<BroughtBack>;
	/** Ends a push under way: the sandbox is broken. */
	stop(): Promise<void>;
}

/** Nothing is looked at before the first push. */
export function createFileSync(sandbox: Sandbox, host: SyncHost): FileSync {
	return new SandboxSync(sandbox, host);
}

/** How long commands go on without a look. */
const intervalMs = 5_000;
const longestPauseMs = 60_000;

/** Gigabytes on a slow line; a line that is dead is noticed by the backend. */
const pushLimitMs = 30 * 60_000;

/** What takes longer is told. */
const quietMs = 2_000;

class SandboxSync implements FileSync {
	readonly #sandbox: Sandbox;
	readonly #host: SyncHost;
	readonly #local = new LocalFiles();
	readonly #closing = new AbortController();
	#far: FarSide | undefined;
	#foreign: ReadonlyMap<string, FarFile> = new Map();
	#earlier: EarlierRun | undefined;
	#running: Promise<PushOutcome> | undefined;
	#dueMs = 0;
	#failures = 0;
	#warning: string | undefined;

	constructor(sandbox: Sandbox, host: SyncHost) {
		this.#sandbox = sandbox;
		this.#host = host;
	}

	push(signal: AbortSignal): Promise<PushOutcome> {
		if (this.#running === undefined) {
			const isDue = this.#now() >= this.#dueMs || (this.#host.isEager === true && this.#failures === 0);
			if (!isDue || this.#closing.signal.aborted) return Promise.resolve({ is: "skipped" });
			this.#running = this.#attempt().finally(() => {
				this.#running = undefined;
			});
		}
		// One that gives up does not disturb the others.
		return untilAborted(this.#running, signal);
	}

	takeWarning(): string | undefined {
		const warning = this.#warning;
		this.#warning = undefined;
		return warning;
	}

	async pull(): Promise<BroughtBack> {
		await this.stop();
		// A sandbox that nothing ever reached has nothing for us, and may not even answer.
		if (this.#far === undefined || this.#local.sent.size === 0) return nothingBack;
		using slow = this.#tellWhenSlow();
		return bringBack({
			far: this.#far,
			sent: this.#local.sent,
			sources: this.#host.sources(),
			foreign: this.#foreign,
			host: this.#host,
			onPlan: (files, bytes) => slow.says(`Bringing back ${amount(files, bytes)} from ${this.#sandbox.ranOn}`),
		});
	}

	async stop(): Promise<void> {
		this.#closing.abort(new Error("Cannot copy files: the sandbox is being closed"));
		await this.#running;
	}

	async #attempt(): Promise<PushOutcome> {
		using slow = this.#tellWhenSlow();
		const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(pushLimitMs)]);
		try {
			const sources = this.#host.sources();
			const far = await this.#look(sources, signal);
			const report = await push({
				far,
				local: this.#local,
				sources,
				earlier: this.#earlier,
				signal,
				onPlan: (files, bytes) => slow.says(`Copying ${amount(files, bytes)} to ${this.#sandbox.ranOn}`),
			});
			this.#earlier = undefined;
			this.#failures = 0;
			this.#dueMs = this.#now() + intervalMs;
			return { is: "pushed", ...report };
		} catch (cause) {
			return this.#failed(cause);
		}
	}

	async #look(sources: SyncSources, signal: AbortSignal): Promise<FarSide> {
		if (this.#far !== undefined) return this.#far;
		const far = await openFarSide(this.#sandbox, {
			record: recordName(this.#host.home),
			tops: topNames(sources),
			signal,
		});
		const { recorded, present, recordLines } = far;
		this.#earlier = { recorded, present, isLong: recordLines > 2 * recorded.size + spareLines };
		this.#foreign = this.#firstSeen(far);
		this.#far = far;
		return far;
	}

	#firstSeen({ ranOn, recorded, present }: FarSide): ReadonlyMap<string, FarFile> {
		const { firstSeen } = this.#host;
		const known = firstSeen?.get(ranOn);
		if (known !== undefined) return known;
		const foreign = new Map([...present].filter(([to]) => !recorded.has(to)));
		firstSeen?.set(ranOn, foreign);
		return foreign;
	}

	#failed(cause: unknown): PushOutcome {
		if (this.#closing.signal.aborted) return { is: "skipped" };
		const reason = reasonOf(cause);
		const pauseMs = Math.min(intervalMs * 2 ** this.#failures, longestPauseMs);
		this.#failures++;
		this.#dueMs = this.#now() + pauseMs;
		if (this.#failures === 1) {
			this.#warning = `sync warning: files of this machine were not copied to ${this.#sandbox.ranOn} (${reason}); commands see what was there before`;
			this.#host.onWarning(this.#warning);
		}
		return { is: "failed", reason };
	}

	#now(): number {
		return this.#host.now?.() ?? performance.now();
	}

	#tellWhenSlow(): Disposable & { says(line: string): void } {
		let line = `Comparing files with ${this.#sandbox.ranOn}`;
		const timer = setTimeout(() => this.#host.onProgress?.(line), quietMs);
		timer.unref();
		return {
			says(plan) {
				line = plan;
			},
			[Symbol.dispose]: () => clearTimeout(timer),
		};
	}
}

/** Lines of a record that do not matter. */
const spareLines = 1_000;

/** Two homes that send to one sandbox keep apart what they sent. It tells nobody there who they are. */
function recordName(home: string): string {
	const hash = new Bun.CryptoHasher("sha256").update(`${hostname()}\0${home}`);
	return hash.digest("hex").slice(0, 32);
}

function amount(files: number, bytes: number): string {
	return `${files} ${files === 1 ? "file" : "files"} (${(bytes / 1_000_000).toFixed(1)} MB)`;
}
