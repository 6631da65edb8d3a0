/** The sandboxes of one process: each task's is opened once, shared, closed when idle and opened again where it was. */

import { settledWithin } from "../../base/settled-within.ts";
import type { Backend, OpenContext } from "../backend.ts";
import { type OpenShellOptions, openShell } from "../shell/shell.ts";
import { SudoPasswords, type SudoSource } from "../shell/sudo/passwords.ts";
import { boundPlaces } from "../sync/bound-places.ts";
import { createFileSync, type SyncHost } from "../sync/file-sync.ts";
import { type Clock, systemClock } from "./clock.ts";
import { closeLimitMs } from "./pooled-sandbox.ts";
import { SandboxSlot, type SlotOptions } from "./sandbox-slot.ts";
import { isApart, keysOf, type TaskKeys, type TaskOverride } from "./task-id.ts";
import { type PooledShell, TaskShell } from "./task-shell.ts";

/** Where the commands of a task run, settled once for the life of the pool. */
export interface Target {
	readonly backend: Backend;
	/** As `backend.config` parsed it. */
	readonly config: unknown;
	/** The first folder of a session. */
	readonly cwd: string;
	/** What a login shell starts with. */
	readonly environment: OpenShellOptions["environment"];
}

/** What the pool works with. */
export interface PoolOptions {
	/** Where every task runs that has no override. */
	readonly target: Target;
	/** Where a task runs that has another backend or image. @throws {Error} When there is no such backend. */
	targetFor(override: TaskOverride): Promise<Target>;
	/** No task may run on another backend, whatever is registered for it. */
	readonly isPinned: boolean;
	/** Seconds without a call after which a sandbox is closed. */
	readonly lifetimeSeconds: number;
	/** Tasks whose sandbox something outside the pool still needs. */
	busyTasks?(): Iterable<string>;
	readonly context: Omit<OpenContext, "signal" | "taskId">;
	/** Where sessions have their passwords for sudo from. */
	readonly sudo?: SudoSource | undefined;
	onWarning(text: string): void;
	readonly clock?: Clock;
	/** What of this machine sandboxes get: a copy where they have files of their own, else a mount. Nothing when left out. */
	readonly sync?: Pick<SyncHost, "sources" | "isEager" | "userHome">;
}

/** The pool. Disposing it stops what runs and closes every sandbox; 20 seconds at most, more where a backend asks for more. */
export interface Pool extends AsyncDisposable {
	/** The session of a task; the empty id is the main task's. Opens nothing by itself. */
	shell(taskId: string): PooledShell;
	/**
	 * Gives `taskId` a sandbox or a session of its own, before its first use; a folder also moves a session that is open.
	 * @throws {Error} When the session is pinned to another backend, or there is no such backend.
	 */
	register(taskId: string, override: TaskOverride): Promise<void>;
	/**
	 * Forgets a task that is over: its session is closed, and so is a sandbox of its own. What runs in it must have ended; the main
	 * task cannot be released.
	 */
	release(taskId: string): Promise<void>;
}

/** Closing all of them at once takes as long as the slowest. */
const closeAllLimitMs = 20_000;

/** Opens nothing yet. */
export function createPool(options: PoolOptions): Pool {
	return new TaskPool(options);
}

interface Registered {
	readonly override: TaskOverride;
	readonly target: Target;
}

class TaskPool implements Pool {
	readonly #options: PoolOptions;
	readonly #overrides = new Map<string, Registered>();
	readonly #slots = new Map<string, SandboxSlot>();
	readonly #shells = new Map<string, TaskShell>();
	readonly #closing = new AbortController();

	constructor(options: PoolOptions) {
		this.#options = options;
	}

	shell(taskId: string): PooledShell {
		const registered = this.#overrides.get(taskId);
		const keys = this.#keys(taskId);
		const known = this.#shells.get(keys.session);
		if (known !== undefined) return known;
		const target = registered?.target ?? this.#options.target;
		const source = this.#options.sudo;
		const isUnattended = registered?.override.isUnattended === true;
		const sudo = new SudoPasswords(isUnattended ? { configured: source?.configured } : source);
		const shell = new TaskShell({
			slot: this.#slot(keys.sandbox, target),
			backendName: target.backend.name,
			closing: this.#closing.signal,
			sudo,
			openShell: (sandbox, signal) => this.#openShell(target, { sandbox, signal, sudo }),
		});
		this.#shells.set(keys.session, shell);
		return shell;
	}

	async register(taskId: string, override: TaskOverride): Promise<void> {
		const { target: base, isPinned, targetFor } = this.#options;
		const name = override.backend ?? base.backend.name;
		if (isPinned && name !== base.backend.name) {
			throw new Error(`Cannot run task "${taskId}" on "${name}": the session is pinned to ${base.backend.name}`);
		}
		const shared = this.#overrides.get(override.within ?? "")?.target ?? base;
		const target = isApart(override) ? await targetFor(override) : shared;
		this.#overrides.set(taskId, { override, target: withFolder(target, override) });
		if (override.cwd !== undefined) this.#shells.get(this.#keys(taskId).session)?.moveTo(override.cwd);
	}

	async release(taskId: string): Promise<void> {
		const { sandbox, session } = this.#keys(taskId);
		if (session !== taskId) return;
		const shell = this.#shells.get(session);
		this.#shells.delete(session);
		this.#overrides.delete(taskId);
		const slot = this.#slots.get(sandbox);
		if (sandbox !== taskId) return await (shell && slot?.evict(shell));
		this.#slots.delete(sandbox);
		await slot?.[Symbol.asyncDispose]();
	}

	/** A task that shares another one's sandbox is in whatever sandbox that one is in. */
	#keys(taskId: string): TaskKeys {
		const override = this.#overrides.get(taskId)?.override;
		const keys = keysOf(taskId, override);
		const host = override?.within;
		return host === undefined || host === taskId || isApart(override)
			? keys
			: { ...keys, sandbox: this.#keys(host).sandbox };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort(new Error("Cannot run the command: hermes is ending"));
		// Ending what runs comes before, and takes as long as for any other.
		const spareMs = closeAllLimitMs - closeLimitMs;
		const longestMs = Math.max(closeLimitMs, ...[...this.#slots.values()].map((slot) => slot.closeLimitMs));
		await settledWithin(this.#close(), longestMs + spareMs);
	}

	/** First what runs, then the sandboxes it runs in. */
	async #close(): Promise<void> {
		await Promise.all([...this.#shells.values()].map((shell) => shell.settled()));
		await Promise.all([...this.#slots.values()].map((slot) => slot[Symbol.asyncDispose]()));
	}

	#slot(key: string, target: Target): SandboxSlot {
		const known = this.#slots.get(key);
		if (known !== undefined) return known;
		const { context, onWarning, lifetimeSeconds, clock = systemClock } = this.#options;
		const { closeLimitSeconds } = target.backend;
		const slot = new SandboxSlot({
			closeLimitMs: closeLimitSeconds === undefined ? closeLimitMs : closeLimitSeconds * 1000,
			open: (signal) =>
				target.backend.open(target.config, {
					...context,
					...this.#boundFor(target),
					cwd: target.cwd,
					signal,
					taskId: key,
				}),
			isBusy: () => this.#isBusy(key),
			...this.#syncFor(target),
			onWarning,
			lifetimeSeconds,
			clock,
		});
		this.#slots.set(key, slot);
		return slot;
	}

	#syncFor({ backend }: Target): Pick<SlotOptions, "syncOf"> {
		const { sync, context, onWarning } = this.#options;
		if (sync === undefined || backend.files !== "sync") return {};
		const { home, onProgress } = context;
		const host: SyncHost = { ...sync, home, firstSeen: new Map(), onWarning, ...(onProgress && { onProgress }) };
		return { syncOf: (sandbox) => createFileSync(sandbox, host) };
	}

	#boundFor({ backend }: Target): Pick<OpenContext, "boundPlaces"> {
		const { sync, context } = this.#options;
		return sync === undefined || backend.files !== "bind"
			? {}
			: { boundPlaces: boundPlaces(sync.sources(), context.home) };
	}

	#openShell(target: Target, { sandbox, signal, sudo }: Pick<OpenShellOptions, "sandbox" | "signal" | "sudo">) {
		const { backend, cwd, environment } = target;
		const { onWarning } = this.#options;
		const { loginLimitSeconds } = backend;
		const login = loginLimitSeconds === undefined ? {} : { loginTimeoutSeconds: loginLimitSeconds };
		return openShell({ sandbox, signal, files: backend.files, cwd, environment, onWarning, sudo, ...login });
	}

	#isBusy(sandboxKey: string): boolean {
		// What is in it would be lost.
		if (this.#overrides.get(sandboxKey)?.override.isThrowaway === true) return true;
		const busy = [...(this.#options.busyTasks?.() ?? [])];
		return busy.some((task) => this.#keys(task).sandbox === sandboxKey);
	}
}

function withFolder(target: Target, { cwd }: TaskOverride): Target {
	return cwd === undefined ? target : { ...target, cwd };
}
