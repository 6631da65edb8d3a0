/** The place of one sandbox in the pool: opened when needed, closed when idle, opened again on the same backend. */

import { attemptAsync } from "../../base/attempt.ts";
import type { Sandbox } from "../backend.ts";
import { pullLimitMs } from "../sync/bring-back.ts";
import type { FileSync } from "../sync/file-sync.ts";
import type { Clock } from "./clock.ts";
import { openOnce } from "./open-once.ts";
import { PooledSandbox, type Tenant } from "./pooled-sandbox.ts";

/** What a slot needs to know. */
export interface SlotOptions {
	/** Always the same backend with the same settings. */
	open(signal: AbortSignal): Promise<Sandbox>;
	/** Something outside the pool still needs the sandbox, such as a background process. */
	isBusy(): boolean;
	/** Told when a sandbox could not be put away. */
	onWarning(text: string): void;
	readonly lifetimeSeconds: number;
	/** How long putting a sandbox away may take. */
	readonly closeLimitMs: number;
	/** How the files of a sandbox are kept up to date, where they are its own. */
	syncOf?(sandbox: Sandbox): FileSync;
	readonly clock: Clock;
}

/** A sandbox that stays open until the lease is disposed of. */
export interface Lease extends Disposable {
	readonly sandbox: PooledSandbox;
	/** Lets nobody else have it: the next lease opens another one. */
	discard(): void;
}

/** At most one usable sandbox. */
export class SandboxSlot implements AsyncDisposable {
	readonly #options: SlotOptions;
	readonly #closing = new Set<Promise<void>>();
	#current = this.#openOnce();
	#idle: Disposable | undefined;

	constructor(options: SlotOptions) {
		this.#options = options;
	}

	/** How long closing takes at most. */
	get closeLimitMs(): number {
		const { closeLimitMs, syncOf } = this.#options;
		return closeLimitMs + (syncOf === undefined ? 0 : pullLimitMs);
	}

	/** @throws {BackendUnavailable} When it cannot be opened. */
	async lease(signal: AbortSignal): Promise<Lease> {
		// Two attempts at once would find each other's remains: a container that is being stopped, a lock still held.
		while (this.#closing.size > 0) await Promise.all(this.#closing);
		const sandbox = await this.#current.get(signal);
		// It was closed or found broken in the moment it was handed over.
		if (this.#current.value !== sandbox) return await this.lease(signal);
		this.#idle?.[Symbol.dispose]();
		sandbox.users++;
		return {
			sandbox,
			discard: () => this.#discard(sandbox),
			[Symbol.dispose]: () => this.#release(sandbox),
		};
	}

	/** Closes the session of a tenant that is not coming back, and leaves the sandbox open. */
	async evict(tenant: Tenant): Promise<void> {
		await this.#current.value?.evict(tenant);
	}

	/** Closes what is open, whoever uses it. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#idle?.[Symbol.dispose]();
		const current = this.#current;
		this.#current = this.#openOnce();
		this.#close(current);
		await Promise.all(this.#closing);
	}

	#openOnce() {
		return openOnce(async (signal) => {
			const opened = await this.#options.open(signal);
			const { closeLimitMs: limitMs, syncOf } = this.#options;
			const sandbox = new PooledSandbox(opened, { limitMs, sync: syncOf?.(opened) });
			// Whoever asked for it may have gone meanwhile.
			this.#waitUntilOld(sandbox);
			return sandbox;
		});
	}

	#release(sandbox: PooledSandbox): void {
		sandbox.users--;
		if (sandbox.users > 0) return;
		if (sandbox.isBroken) this.#close(sandbox);
		else this.#waitUntilOld(sandbox);
	}

	#discard(sandbox: PooledSandbox): void {
		if (sandbox.isBroken) return;
		sandbox.isBroken = true;
		// Other calls in it may still be answered: it is closed behind the last of them.
		if (this.#current.value === sandbox) this.#current = this.#openOnce();
	}

	#waitUntilOld(sandbox: PooledSandbox): void {
		this.#idle?.[Symbol.dispose]();
		this.#idle = this.#options.clock.after(this.#options.lifetimeSeconds, () => this.#reap(sandbox));
	}

	#reap(sandbox: PooledSandbox): void {
		if (this.#current.value !== sandbox) return;
		if (this.#options.isBusy()) {
			this.#waitUntilOld(sandbox);
			return;
		}
		const current = this.#current;
		this.#current = this.#openOnce();
		this.#close(current);
	}

	#close(what: AsyncDisposable): void {
		const closing: Promise<void> = attemptAsync(() => what[Symbol.asyncDispose]()).then((closed) => {
			this.#closing.delete(closing);
			if (!closed.ok) this.#options.onWarning(`Cannot put a sandbox away: ${closed.reason}`);
		});
		this.#closing.add(closing);
	}
}
