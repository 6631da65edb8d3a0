/** All background processes that one hermes knows of: who may see them, what is told of them, and what is remembered. */

import { randomBytes } from "node:crypto";
import { reasonOf } from "../base/attempt.ts";
import { settledWithin } from "../base/settled-within.ts";
import type { PooledShell } from "../environments/pool/task-shell.ts";
import { readCapture, type SessionValues } from "../environments/shell/session-state.ts";
import { openKnownSudo } from "../environments/shell/sudo/known-sudo.ts";
import type { Redactor } from "../security/redact.ts";
import { BackgroundProcess } from "./background-process.ts";
import { type Checkpoint, type CheckpointEntry, isOwnerAlive, openCheckpoint, thisOwner } from "./checkpoint.ts";
import { createExpectations, type Expectations } from "./expectations.ts";
import { type FarStart, removeFar, startFar } from "./far/far-side.ts";
import { createModelText, type ModelText, tailOf } from "./model-text.ts";
import type { Notice } from "./notice.ts";
import { createNotices, type Notices } from "./notices.ts";
import type { ProcessDesk, Started, StartRequest } from "./process-desk.ts";
import type { ProcessEnd, ProcessRecord } from "./process-record.ts";
import { createBreaker, createWatcher, type Told, type Watcher } from "./watch-patterns.ts";

/** Processes that may run at once. */
export const mostRunning = 64;
/** How long, and how many of, those that have ended are remembered. */
const keptMs = 1_800_000;
const mostEnded = 64;
/** Characters of the output that a notice of an end has. */
const noticeCharacters = 2_000;
const noticeLines = 400;
/** How long putting away may take. */
const closeLimitMs = 5_000;

/** What a table works with. */
export interface TableOptions {
	/** The session of a task. */
	shellOf(taskId: string): PooledShell;
	/** The checkpoint; left out, nothing outlives this process of ours. */
	readonly checkpointPath?: string;
	/** Tasks whose processes die with this program, also when that is killed. Left out: none. */
	endsWithUs?(taskId: string): boolean;
	/** Left out: nothing is masked. */
	readonly redact?: Redactor | undefined;
	readonly now?: () => number;
	onWarning?(text: string): void;
}

/** The table. Disposing it stops following; what runs, runs on and stands in the checkpoint. */
export interface ProcessTable extends AsyncDisposable {
	/** Takes what waits to be told to the task, in order; it is told to nobody else. */
	takeNotices(taskId: string): readonly Notice[];
	/** Something waits to be told to the task. */
	hasNotice(taskId: string): boolean;
	/** Calls `listener` whenever there is something to tell, until it is disposed of. */
	onNotice(listener: () => void): Disposable;
	desk(taskId: string, sessionId: string): ProcessDesk;
	/** Tasks with a process that runs. */
	busyTasks(): Iterable<string>;
	/** Processes of a task that run. */
	running(taskId: string): readonly BackgroundProcess[];
	/** The task is going to be told of the end of something that was started here. */
	isExpecting(taskId: string): boolean;
	/** What else than processes goes on that tasks will be told of, in the same queue. */
	readonly expected: Expectations;
	/**
	 * Takes over what an earlier hermes left running in the sandbox that the task has now. `tells`: its end and matches are told;
	 * `keeps`: what has ended is remembered until somebody has looked at it.
	 */
	adopt(taskId: string, options: Adoption): Promise<readonly BackgroundProcess[]>;
	/** Resolves when what has changed stands in the checkpoint. */
	saved(): Promise<void>;
}

/** A table that knows of nothing yet. */
export function createProcessTable(options: TableOptions): ProcessTable {
	return new Table(options);
}

type Adoption = { readonly tells: boolean; readonly keeps?: boolean };

interface Tracked {
	readonly process: BackgroundProcess;
	readonly watcher: Watcher;
	readonly following: Promise<void>;
	readonly isOurs: boolean;
	readonly tells: boolean;
	readonly keeps?: boolean | undefined;
	/** What the session was when it started, where its state is to be taken in. */
	readonly startedWith?: SessionValues | undefined;
	/** Nothing about it has to be told any more. */
	isSettled: boolean;
}

class Table implements ProcessTable {
	readonly #notices: Notices = createNotices();
	readonly #options: TableOptions;
	readonly #now: () => number;
	readonly #text: ModelText;
	readonly #tracked = new Map<string, Tracked>();
	readonly #breaker = createBreaker();
	readonly #closing = new AbortController();
	readonly #checkpoint: Checkpoint | undefined;
	readonly expected = createExpectations(this.#notices);
	#starting = 0;
	#saving: Promise<void> = Promise.resolve();

	constructor(options: TableOptions) {
		this.#options = options;
		this.#now = options.now ?? Date.now;
		this.#text = createModelText(options.redact);
		this.#checkpoint = options.checkpointPath === undefined ? undefined : openCheckpoint(options.checkpointPath);
	}

	desk(taskId: string, sessionId: string): ProcessDesk {
		return {
			text: this.#text,
			start: (request, signal) => this.#start(request, { taskId, sessionId, signal }),
			list: () => this.#of(taskId).map(({ process }) => process),
			get: (id) => this.#of(taskId).find(({ process }) => process.record.id === id)?.process,
			seen: (process) => this.#seen(process),
			take: (process) => this.#take(process),
		};
	}

	takeNotices(taskId: string): readonly Notice[] {
		const taken = this.#notices.take(taskId);
		for (const notice of taken) {
			const tracked = notice.type === "completion" ? this.#tracked.get(notice.id) : undefined;
			if (tracked !== undefined) tracked.isSettled = true;
		}
		if (taken.some(({ type }) => type === "completion")) this.#save();
		return taken;
	}

	hasNotice(taskId: string): boolean {
		return this.#notices.has(taskId);
	}

	onNotice(listener: () => void): Disposable {
		return this.#notices.onPush(listener);
	}

	busyTasks(): Iterable<string> {
		const running = [...this.#tracked.values()].filter(({ process }) => process.end === undefined);
		return new Set(running.map(({ process }) => process.record.taskId));
	}

	running(taskId: string): readonly BackgroundProcess[] {
		return this.#of(taskId).flatMap(({ process }) => (process.end === undefined ? [process] : []));
	}

	isExpecting(taskId: string): boolean {
		const isExpected = ({ process, isOurs }: Tracked) => isOurs && process.end === undefined && process.record.notify;
		return this.expected.has(taskId) || this.#notices.has(taskId) || this.#of(taskId).some(isExpected);
	}

	async adopt(taskId: string, { tells, keeps }: Adoption): Promise<readonly BackgroundProcess[]> {
		const { ranOn } = this.#options.shellOf(taskId);
		const isLeft = (entry: CheckpointEntry) =>
			entry.taskId === taskId && entry.ranOn === ranOn && !isOwnerAlive(entry.owner) && !this.#tracked.has(entry.id);
		if (!(this.#checkpoint?.read().some(isLeft) ?? false)) return [];
		const owner = thisOwner();
		const adopted: ProcessRecord[] = [];
		await this.#checkpoint?.update((entries) =>
			entries.map((entry) => {
				if (!isLeft(entry)) return entry;
				const { owner: _, ...record } = entry;
				adopted.push(record);
				return { ...entry, owner };
			}),
		);
		return adopted.map((record) => this.#track(record, { isOurs: false, tells, keeps }));
	}

	async saved(): Promise<void> {
		await this.#saving;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const ended = [...this.#tracked.values()].filter(
			({ process, isSettled }) => process.end !== undefined && isSettled,
		);
		await settledWithin(this.#removeAll(ended), closeLimitMs).catch(() => undefined);
		this.#closing.abort(new Error("Cannot follow the process: hermes is ending"));
		await settledWithin(
			Promise.allSettled([...this.#tracked.values()].map(({ following }) => following)),
			closeLimitMs,
		);
		if (this.#tracked.size === 0) return await this.#saving;
		this.#save({ pid: 0, start: "" });
		await this.#saving;
	}

	#of(taskId: string): readonly Tracked[] {
		return [...this.#tracked.values()].filter(({ process }) => process.record.taskId === taskId);
	}

	async #start(
		{ command, cwd, terminal, notify = false, patterns = [], keepsState }: StartRequest,
		{
			taskId,
			sessionId,
			signal,
		}: { readonly taskId: string; readonly sessionId: string; readonly signal: AbortSignal },
	): Promise<Started> {
		this.#prune();
		const running = [...this.#tracked.values()].filter(({ process }) => process.end === undefined).length;
		if (running + this.#starting >= mostRunning) {
			return { ok: false, why: `${mostRunning} background processes run already; end one with process(action=kill)` };
		}
		const id = `proc_${randomBytes(6).toString("hex")}`;
		const endsWithUs = this.#options.endsWithUs?.(taskId);
		const far: FarStart = { id, command, cwd, terminal, keepsState, endsWithUs };
		this.#starting++;
		try {
			const shell = this.#options.shellOf(taskId);
			return await shell.use(signal, async (opened, either) => {
				const startedWith = keepsState ? opened.state.values : undefined;
				const sudo = await openKnownSudo(opened, command, this.#closing.signal);
				const started = await startFar(opened, { ...far, command: sudo.command }, either);
				if (!started.ok) {
					await sudo.close();
					return started;
				}
				const { folder, pid } = started;
				const about = { id, command, taskId, sessionId, cwd, folder, pid, ranOn: opened.ranOn };
				const asked = { notify, patterns: [...patterns], ...(terminal && { terminal }) };
				const record: ProcessRecord = { ...about, ...asked, startedAt: this.#now(), linesRead: 0 };
				const process = this.#track(record, { isOurs: true, tells: true, startedWith });
				void process.ended.then(sudo.close);
				return { ok: true, process } as const;
			});
		} finally {
			this.#starting--;
		}
	}

	#track(record: ProcessRecord, about: Pick<Tracked, "isOurs" | "tells" | "keeps" | "startedWith">): BackgroundProcess {
		const process = new BackgroundProcess({
			record,
			shell: this.#options.shellOf(record.taskId),
			signal: this.#closing.signal,
			now: this.#now,
			events: {
				onLines: (lines) => this.#onLines(record.id, lines),
				onEnd: (end) => this.#onEnd(record.id, end),
			},
		});
		const watcher = createWatcher(record.patterns);
		const tracked: Tracked = { process, watcher, ...about, isSettled: false, following: process.follow() };
		this.#tracked.set(record.id, tracked);
		this.#save();
		return process;
	}

	#onLines(id: string, lines: readonly string[]): void {
		const tracked = this.#tracked.get(id);
		if (tracked === undefined || !tracked.tells || tracked.process.end !== undefined) return;
		const told = tracked.watcher.look(lines, this.#now());
		if (told !== undefined) this.#tell(tracked.process, told);
	}

	#tell(process: BackgroundProcess, told: Told): void {
		const { id, command, taskId } = process.record;
		const about = { id, command: this.#text.text(command) };
		if (told.is === "disabled") {
			process.note({ notify: true });
			this.#save();
			this.#notices.push(taskId, { type: "watch_disabled", ...about, suppressed: told.suppressed });
			return;
		}
		const verdict = this.#breaker(this.#now());
		if (!verdict.pass) {
			if (verdict.tripped) this.#notices.push(undefined, { type: "overflow_tripped" });
			return;
		}
		if (verdict.released !== undefined) {
			this.#notices.push(undefined, { type: "overflow_released", suppressed: verdict.released });
		}
		const { pattern, suppressed, lines } = told;
		const output = lines.map((line) => this.#text.text(line)).join("\n");
		this.#notices.push(taskId, { type: "watch_match", ...about, pattern, output, suppressed });
	}

	#onEnd(id: string, end: ProcessEnd): void {
		const tracked = this.#tracked.get(id);
		if (tracked === undefined) return;
		const { process, tells, keeps = false } = tracked;
		const { record } = process;
		// What the model has ended itself is no news to it (#45352).
		if ((!record.notify && !keeps) || end.source === "process.kill") tracked.isSettled = true;
		else if (tells && !tracked.isSettled) this.#notices.push(record.taskId, this.#completion(process, end));
		this.#save();
	}

	#completion({ record, output }: BackgroundProcess, end: ProcessEnd): Notice {
		const printed = this.#text.of(output.range(output.total - noticeLines));
		return {
			type: "completion",
			id: record.id,
			command: this.#text.text(record.command),
			end,
			output: tailOf(printed, noticeCharacters),
		};
	}

	#seen(process: BackgroundProcess): void {
		const tracked = this.#tracked.get(process.record.id);
		if (tracked !== undefined && process.end !== undefined) {
			tracked.isSettled = true;
			this.#notices.forget(process.record.id);
		}
		this.#save();
	}

	async #take(process: BackgroundProcess): Promise<void> {
		const tracked = this.#tracked.get(process.record.id);
		if (tracked !== undefined) await this.#removeAll([tracked]);
	}

	/** Those that ended long ago; a long run counts from its end. */
	#prune(): void {
		const ended = [...this.#tracked.values()].filter(({ process }) => process.end !== undefined);
		const old = ended.filter(
			({ process }, at) => this.#now() - (process.end?.at ?? 0) > keptMs || at < ended.length - mostEnded,
		);
		if (old.length > 0) void this.#removeAll(old).catch(() => undefined);
	}

	/** Forgets them here, in the checkpoint, and in their sandbox. */
	async #removeAll(gone: readonly Tracked[]): Promise<void> {
		if (gone.length === 0) return;
		for (const { process } of gone) {
			this.#tracked.delete(process.record.id);
			this.#notices.forget(process.record.id);
		}
		this.#save(thisOwner(), new Set(gone.map(({ process }) => process.record.id)));
		// Nothing is left of what is lost, and nothing has to be opened to find that out.
		const found = gone.filter(({ process }) => process.end?.reason !== "lost");
		const byTask = Map.groupBy(found, ({ process }) => process.record.taskId);
		await Promise.all([...byTask].map(([taskId, tracked]) => this.#removeIn(this.#options.shellOf(taskId), tracked)));
	}

	async #removeIn(pooled: PooledShell, gone: readonly Tracked[]): Promise<void> {
		await pooled.use(new AbortController().signal, async (shell) => {
			const here = gone.filter(
				({ process: { end, record } }) => end?.reason !== "lost" && record.ranOn === shell.ranOn,
			);
			if (here.length === 0) return;
			const folders = here.map(({ process }) => process.record.folder);
			const state = await removeFar(shell, folders);
			const startedWith = here[0]?.startedWith;
			const captured = readCapture(state);
			if (startedWith !== undefined && captured !== undefined) shell.state.merge(startedWith, captured);
		});
	}

	/** Writes down what we know; what belongs to others stays as it is. One write after the other. */
	#save(owner = thisOwner(), removed: ReadonlySet<string> = new Set()): void {
		const checkpoint = this.#checkpoint;
		if (checkpoint === undefined) return;
		const write = async () => {
			const all = [...this.#tracked.values()];
			const ours = all.filter(({ process, isSettled }) => process.end === undefined || !isSettled);
			const known = new Set([...this.#tracked.keys(), ...removed]);
			await checkpoint.update((entries) => [
				...entries.filter(({ id }) => !known.has(id)),
				...ours.map(({ process }) => ({ ...process.record, owner })),
			]);
		};
		this.#saving = this.#saving.then(write).catch((cause) => {
			this.#options.onWarning?.(`Background processes are not written down: ${reasonOf(cause)}`);
		});
	}
}
