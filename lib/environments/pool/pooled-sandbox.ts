/** One opened sandbox with the sessions in it, and who uses it now. */

import { settledWithin } from "../../base/settled-within.ts";
import type { Sandbox } from "../backend.ts";
import type { Shell } from "../shell/shell.ts";
import type { FileSync } from "../sync/file-sync.ts";
import { type OpenOnce, openOnce } from "./open-once.ts";

/** Putting one sandbox away may mean stopping a container; one that hangs is left behind. */
export const closeLimitMs = 15_000;

/** How one is put away. */
export interface PooledSandboxOptions {
	/** Milliseconds; the usual limit when left out. */
	readonly limitMs?: number;
	readonly sync?: FileSync | undefined;
}

/** A session that lives in a sandbox. */
export interface Tenant {
	/** Opens its shell in `sandbox`. */
	openShell(sandbox: Sandbox, signal: AbortSignal): Promise<Shell>;
}

/** A sandbox that tasks share. Disposing it closes its shells, then the sandbox, within the limit. */
export class PooledSandbox implements AsyncDisposable {
	/** Calls under way. */
	users = 0;
	/** A call found it broken: nobody gets it any more. */
	isBroken = false;
	readonly #sandbox: Sandbox;
	readonly #closeLimitMs: number;
	readonly #sync: FileSync | undefined;
	readonly #shells = new Map<Tenant, OpenOnce<Shell>>();
	#closed: Promise<void> | undefined;

	constructor(sandbox: Sandbox, { limitMs = closeLimitMs, sync }: PooledSandboxOptions = {}) {
		this.#sandbox = sandbox;
		this.#closeLimitMs = limitMs;
		this.#sync = sync;
	}

	get ranOn(): string {
		return this.#sandbox.ranOn;
	}

	/** The shell of `tenant`, opened when it has none. */
	shellOf(tenant: Tenant, signal: AbortSignal): Promise<Shell> {
		const known = this.#shells.get(tenant);
		const shell = known ?? openOnce((signal) => tenant.openShell(this.#sandbox, signal));
		if (known === undefined) this.#shells.set(tenant, shell);
		return shell.get(signal);
	}

	/** Closes the shell of a tenant that is not coming back; one that cannot be closed in time is left behind. */
	async evict(tenant: Tenant): Promise<void> {
		const shell = this.#shells.get(tenant);
		this.#shells.delete(tenant);
		const closed = async () => shell?.[Symbol.asyncDispose]();
		await settledWithin(closed(), this.#closeLimitMs);
	}

	/** Brings files of this machine that commands may need, where the sandbox has files of its own. */
	async bringFiles(signal: AbortSignal): Promise<void> {
		await this.#sync?.push(signal);
	}

	/** What has to be said about these files since it was last asked. */
	takeFileWarning(): string | undefined {
		return this.#sync?.takeWarning();
	}

	[Symbol.asyncDispose](): Promise<void> {
		this.#closed ??= this.#close();
		return this.#closed;
	}

	async #close(): Promise<void> {
		// A shell that cannot remove its files must not keep its sandbox open.
		const shells = [...this.#shells.values()].map((shell) => shell[Symbol.asyncDispose]());
		await settledWithin(Promise.allSettled(shells), this.#closeLimitMs);
		await this.#bringFilesBack();
		const closed = async () => this.#sandbox[Symbol.asyncDispose]();
		await settledWithin(closed(), this.#closeLimitMs);
	}

	/** Limits itself. One that is broken would be asked in vain, again and again. */
	async #bringFilesBack(): Promise<void> {
		if (this.isBroken) await this.#sync?.stop();
		else await this.#sync?.pull();
	}
}
