/** The process of one plug-in: started when it is first needed, asked over a channel, ended when it hangs. */

import { join } from "node:path";
import { attempt, reasonOf } from "../base/attempt.ts";
import { createWatchdog, type Watchdog } from "../environments/local/watchdog.ts";
import type { Logger } from "../log/logger.ts";

/** A plug-in did not answer a call: it threw, crashed, or took too long. */
class PluginFailed extends Error {
	override readonly name = "PluginFailed";
}

/** One thing to ask a plug-in. */
export interface PluginCall {
	readonly kind: "tool" | "hook";
	readonly name: string;
	readonly input: unknown;
	readonly context: Readonly<Record<string, unknown>>;
	readonly timeoutSeconds: number;
	/** Aborted when the user interrupts the turn. */
	readonly signal?: AbortSignal;
}

/** How the process is started. */
export interface PluginProcessOptions {
	readonly name: string;
	/** The plug-in's folder, and the working folder of the process. */
	readonly folder: string;
	readonly main: string;
	/** The whole environment of the process. */
	readonly environment: Readonly<Record<string, string>>;
	/** Folder of ours with the program that loads the plug-in (`main.js`) and an empty `bunfig.toml`. */
	readonly scripts: string;
	readonly log: Pick<Logger, "debug" | "warning">;
}

/** A plug-in that can be asked. */
export interface PluginProcess extends AsyncDisposable {
	/** @throws {PluginFailed} */
	call(call: PluginCall): Promise<unknown>;
}

/** Starts that may fail one after the other before the plug-in is left alone for the session. */
const mostCrashes = 3;
/** How long a process may take to show that it still listens after a call was given up. */
const cancelGraceMs = 1_000;
const stopGraceMs = 300;
/** Characters of standard error that explain a crash. */
const errorTail = 1_000;

interface Waiting {
	resolve(value: unknown): void;
	reject(error: PluginFailed): void;
}

interface Started {
	readonly child: Bun.Subprocess<"ignore", "ignore", "pipe">;
	readonly waiting: Map<number, Waiting>;
	/** Calls that were given up and not answered yet. */
	readonly cancelled: Set<number>;
	said: string;
}

/** A process that is not running yet. */
export function createPluginProcess(options: PluginProcessOptions): PluginProcess {
	return new Supervisor(options);
}

class Supervisor implements PluginProcess {
	readonly #options: PluginProcessOptions;
	readonly #watchdog: Watchdog;
	#started: Started | undefined;
	#crashes = 0;
	#lastId = 0;

	constructor(options: PluginProcessOptions) {
		this.#options = options;
		this.#watchdog = createWatchdog(crypto.randomUUID(), options.environment.PATH ?? "");
	}

	async call({ timeoutSeconds, signal, ...message }: PluginCall): Promise<unknown> {
		signal?.throwIfAborted();
		const process = this.#running();
		const id = ++this.#lastId;
		const { promise, resolve, reject } = Promise.withResolvers<unknown>();
		process.waiting.set(id, { resolve, reject });
		const stop = (text: string) => {
			this.#giveUp(process, id);
			reject(this.#failure(text));
		};
		const onAbort = () => stop("the call was interrupted");
		const timer = setTimeout(() => stop(`no answer within ${timeoutSeconds} s`), timeoutSeconds * 1_000);
		signal?.addEventListener("abort", onAbort, { once: true });
		try {
			process.child.send({ id, ...message });
			return await promise;
		} catch (cause) {
			throw cause instanceof PluginFailed ? cause : this.#failure(reasonOf(cause), cause);
		} finally {
			clearTimeout(timer);
			signal?.removeEventListener("abort", onAbort);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const child = this.#started?.child;
		if (child !== undefined) {
			attempt(() => child.disconnect());
			await Promise.race([child.exited, Bun.sleep(stopGraceMs)]);
			killGroup(child.pid);
			await child.exited;
		}
		this.#watchdog.close();
	}

	#failure(state: string, cause?: unknown): PluginFailed {
		return new PluginFailed(`plug-in "${this.#options.name}": ${state}`, { cause });
	}

	#running(): Started {
		if (this.#crashes >= mostCrashes) {
			throw this.#failure(`it crashed ${this.#crashes} times and is not started again in this session`);
		}
		this.#started ??= this.#start();
		return this.#started;
	}

	#start(): Started {
		const { folder, main, environment, scripts } = this.#options;
		const { promise: begun, resolve: begin } = Promise.withResolvers<Started>();
		const command = [
			process.execPath,
			`--config=${join(scripts, "bunfig.toml")}`,
			...["--no-env-file", "--no-install"],
			...[join(scripts, "main.js"), join(folder, main)],
		];
		const child = Bun.spawn(command, {
			cwd: folder,
			// Turns our own executable into the runtime that it was built with.
			env: { ...environment, BUN_BE_BUN: "1" },
			stdio: ["ignore", "ignore", "pipe"],
			serialization: "json",
			// A group of its own, so that what the plug-in starts goes with it.
			detached: true,
			ipc: (message) => void begun.then((started) => this.#onMessage(started, message)),
			onExit: (_, code, signal) =>
				void begun.then((started) =>
					this.#onExit(started, signal === null ? `with exit code ${code}` : `by signal ${signal}`),
				),
		});
		const started: Started = { child, waiting: new Map(), cancelled: new Set(), said: "" };
		this.#watchdog.begin(String(child.pid));
		this.#watchdog.register(String(child.pid), child.pid);
		child.unref();
		void this.#listen(started);
		begin(started);
		return started;
	}

	async #listen(started: Started): Promise<void> {
		const { log, name } = this.#options;
		const decoder = new TextDecoder();
		for await (const chunk of started.child.stderr) {
			const text = decoder.decode(chunk, { stream: true });
			started.said = (started.said + text).slice(-errorTail);
			log.debug(`${name}: ${text.trimEnd()}`);
		}
	}

	#onMessage(process: Started, message: unknown): void {
		const answer = readAnswer(message);
		if (answer === undefined) return;
		process.cancelled.delete(answer.id);
		const waiting = process.waiting.get(answer.id);
		process.waiting.delete(answer.id);
		this.#crashes = 0;
		if (answer.ok) waiting?.resolve(answer.value);
		else waiting?.reject(this.#failure(answer.error));
	}

	#onExit(process: Started, how: string): void {
		if (this.#started === process) this.#started = undefined;
		this.#watchdog.end(String(process.child.pid));
		if (process.waiting.size > 0) this.#crashes++;
		const said = process.said.trim();
		const state = `it ended ${how} in the middle of the call${said === "" ? "" : `: ${said}`}`;
		for (const { reject } of process.waiting.values()) reject(this.#failure(state));
		process.waiting.clear();
	}

	/** A process that still listens stays: other calls may be running in it. */
	#giveUp(process: Started, id: number): void {
		process.waiting.delete(id);
		process.cancelled.add(id);
		attempt(() => process.child.send({ cancel: id }));
		setTimeout(() => {
			if (!process.cancelled.has(id)) return;
			this.#options.log.warning(`${this.#options.name} does not answer any more and was ended`);
			killGroup(process.child.pid);
		}, cancelGraceMs).unref();
	}
}

function killGroup(pid: number): void {
	// It may be gone already.
	attempt(() => process.kill(-pid, "SIGKILL"));
}

type Answer =
	| { readonly id: number; readonly ok: true; readonly value: unknown }
	| { readonly id: number; readonly ok: false; readonly error: string };

function readAnswer(message: unknown): Answer | undefined {
	if (typeof message !== "object" || message === null || !("id" in message) || typeof message.id !== "number") {
		return undefined;
	}
	if ("ok" in message && message.ok === true)
		return { id: message.id, ok: true, value: "value" in message ? message.value : null };
	return { id: message.id, ok: false, error: "error" in message ? String(message.error) : "it gave no answer" };
}
