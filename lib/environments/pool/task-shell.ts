/** The shell session of one task, whatever sandbox it lives in at the moment. */

import { firstAborted } from "../../base/abort.ts";
import { BackendUnavailable, type Sandbox } from "../backend.ts";
import type { Execute, ExecuteOptions, Outcome } from "../outcome.ts";
import { execute } from "../shell/execute.ts";
import { type DirectFile, readDirectly } from "../shell/read-directly.ts";
import type { SessionValues } from "../shell/session-state.ts";
import type { Shell } from "../shell/shell.ts";
import type { SudoPasswords } from "../shell/sudo/passwords.ts";
import type { PooledSandbox, Tenant } from "./pooled-sandbox.ts";
import type { SandboxSlot } from "./sandbox-slot.ts";

/** A session as its users see it: it survives that its sandbox is closed when idle, or breaks, and is opened again. */
export interface PooledShell {
	/** The session's folder now, absolute, as the sandbox sees it; empty before it was opened. */
	readonly cwd: string;
	/** Where the last command ran, or the next one will. */
	readonly ranOn: string;
	/**
	 * Runs a command; opens the sandbox when it is not open.
	 * @throws {BackendUnavailable} When it cannot be opened, or broke while the command ran. Nothing runs elsewhere.
	 */
	execute: Execute;
	/** Reads a file without a process, where that can be done: see `readDirectly`. @throws {BackendUnavailable} */
	readDirectly(path: string, signal: AbortSignal): Promise<DirectFile | undefined>;
	/** Gives the session as it is in its sandbox, which stays open while `use` runs. @throws {BackendUnavailable} */
	use<T>(signal: AbortSignal, use: (shell: Shell, signal: AbortSignal) => Promise<T>): Promise<T>;
	/** Opens sandbox and session if they are not. @throws {BackendUnavailable} */
	open(signal: AbortSignal): Promise<void>;
	/** What the user typed in this session that nobody may see: passwords for sudo. */
	readonly typedSecrets?: ReadonlySet<string>;
}

/** What a session is made of. */
export interface TaskShellOptions {
	readonly slot: SandboxSlot;
	/** Stands for `ranOn` until something was opened. */
	readonly backendName: string;
	openShell(sandbox: Sandbox, signal: AbortSignal): Promise<Shell>;
	/** The session's own. */
	readonly sudo: SudoPasswords;
	/** Aborted when the pool closes. */
	readonly closing: AbortSignal;
}

/** The session in its newest sandbox, and what it was when that one was opened. */
interface Life {
	readonly shell: Shell;
	readonly first: SessionValues;
}

/** The one session of a task. */
export class TaskShell implements PooledShell, Tenant {
	readonly #options: TaskShellOptions;
	#life: Life | undefined;
	/** What the next command has to say about the files of its sandbox. */
	#fileWarning: string | undefined;
	/** The sandbox that the user last heard of. */
	#knownPlace: string | undefined;
	/** Calls under way, so that closing can wait for them. */
	readonly #running = new Set<Promise<unknown>>();

	constructor(options: TaskShellOptions) {
		this.#options = options;
	}

	get cwd(): string {
		return this.#life?.shell.cwd ?? "";
	}

	get ranOn(): string {
		return this.#life?.shell.ranOn ?? this.#options.backendName;
	}

	get typedSecrets(): ReadonlySet<string> {
		return this.#options.sudo.secrets;
	}

	async open(signal: AbortSignal): Promise<void> {
		await this.#during(signal, async ({ ranOn }) => {
			this.#knownPlace ??= ranOn;
		});
	}

	execute(command: string, options: ExecuteOptions): Promise<Outcome> {
		return this.#during(options.signal, async (shell, signal) => {
			const outcome = await execute(shell, command, { ...options, signal });
			return this.#withFileWarning(this.#withNotice(outcome));
		});
	}

	readDirectly(path: string, signal: AbortSignal): Promise<DirectFile | undefined> {
		return this.#during(signal, (shell) => readDirectly(shell, path));
	}

	use<T>(signal: AbortSignal, use: (shell: Shell, signal: AbortSignal) => Promise<T>): Promise<T> {
		return this.#during(signal, use);
	}

	/** Moves the session to `folder`, now or when it is opened. */
	moveTo(folder: string): void {
		this.#life?.shell.state.moveTo(folder);
	}

	/** Resolves when no call is under way. */
	async settled(): Promise<void> {
		await Promise.allSettled(this.#running);
	}

	async openShell(sandbox: Sandbox, signal: AbortSignal): Promise<Shell> {
		const shell = await this.#options.openShell(sandbox, signal);
		const first = shell.state.values;
		const before = this.#life;
		if (before !== undefined) shell.state.adopt(before.first, before.shell.state.values);
		this.#life = { shell, first };
		return shell;
	}

	async #during<T>(signal: AbortSignal, use: (shell: Shell, signal: AbortSignal) => Promise<T>): Promise<T> {
		this.#options.closing.throwIfAborted();
		using either = firstAborted([signal, this.#options.closing]);
		const running = this.#inSandbox(either.signal, use);
		this.#running.add(running);
		try {
			return await running;
		} finally {
			this.#running.delete(running);
		}
	}

	async #inSandbox<T>(signal: AbortSignal, use: (shell: Shell, signal: AbortSignal) => Promise<T>): Promise<T> {
		using lease = await this.#options.slot.lease(signal);
		try {
			const shell = await this.#shellIn(lease.sandbox, signal);
			await lease.sandbox.bringFiles(signal);
			this.#fileWarning ??= lease.sandbox.takeFileWarning();
			return await use(shell, signal);
		} catch (cause) {
			if (cause instanceof BackendUnavailable) lease.discard();
			throw cause;
		}
	}

	#shellIn(sandbox: PooledSandbox, signal: AbortSignal): Promise<Shell> {
		return sandbox.shellOf(this, signal);
	}

	#withFileWarning(outcome: Outcome): Outcome {
		const fileWarning = this.#fileWarning;
		this.#fileWarning = undefined;
		return fileWarning === undefined ? outcome : { ...outcome, fileWarning };
	}

	/** Files that lived in the old sandbox only are not in the new one: whoever relies on them must be told. */
	#withNotice(outcome: Outcome): Outcome {
		const before = this.#knownPlace;
		this.#knownPlace = outcome.ranOn;
		if (before === undefined || before === outcome.ranOn) return outcome;
		const moved = `The sandbox ${before} is gone; this ran in a new one, ${outcome.ranOn}`;
		return { ...outcome, notice: outcome.notice === undefined ? moved : `${moved}. ${outcome.notice}` };
	}
}
