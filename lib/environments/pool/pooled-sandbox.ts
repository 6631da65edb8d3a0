/** One opened sandbox with the sessions in it, and who uses it now. */

import { settledWithin } from "../../base/settled-within.ts";
import type { Sandbox } from "../backend.ts";
import type { Shell } from "../shell/shell.ts";
import { type OpenOnce, openOnce } from "./open-once.ts";

/** Putting one sandbox away may mean stopping a container; one that hangs is left behind. */
export const closeLimitMs = 15_000;

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
	readonly #shells = new Map<Tenant, OpenOnce<Shell>>();
	#closed: Promise<void> | undefined;

	constructor(sandbox: Sandbox, limitMs = closeLimitMs) {
		this.#sandbox = sandbox;
		this.#closeLimitMs = limitMs;
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

	[Symbol.asyncDispose](): Promise<void> {
		this.#closed ??= settledWithin(this.#close(), this.#closeLimitMs);
		return this.#closed;
	}

	async #close(): Promise<void> {
		// A shell that cannot remove its files must not keep its sandbox open.
		await Promise.allSettled([...this.#shells.values()].map((shell) => shell[Symbol.asyncDispose]()));
		await this.#sandbox[Symbol.asyncDispose]();
	}
}
