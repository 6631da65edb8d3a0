/** Talks with the script around one process, however often the connection breaks. */

import { untilAborted } from "../../../base/abort.ts";
import { BackendUnavailable, ProcessLost } from "../../backend.ts";
import { type Chunk, ChunkReader } from "./chunks.ts";
import { inStream } from "./launch-script.ts";
import type { ExecPlace } from "./place.ts";
import { Terminal } from "./terminal.ts";

/** What the script says. */
export interface Listener {
	/** Resolves when there is room for more. */
	onOutput(bytes: Buffer): Promise<void>;
	onControl(bytes: Buffer): void;
	/** Both streams are complete. */
	onLast(): void;
	/** It cannot be followed any more. */
	onLost(cause: Error): void;
}

/** How a process is begun. */
export interface BeginOptions {
	readonly script: string;
	readonly input: Uint8Array | undefined;
	readonly signal: AbortSignal;
	/** Done when its folder is there, before it starts. */
	prepare(): Promise<void>;
}

/** A large input travels first. */
const helloLimitMs = 600_000;

/** How long the script may take to end what runs before the service is asked to. */
const killLimitMs = 15_000;

/** One process's script and our end of the line to it. */
export class Conversation {
	readonly #place: ExecPlace;
	readonly #mark: string;
	readonly #listener: Listener;
	readonly #terminal: Terminal;
	readonly #hello = Promise.withResolvers<void>();
	/** What was asked for and is not done yet. */
	readonly #kills = new Map<number, { readonly how: string; done(): void }>();
	#killCount = 0;
	#phase: "opening" | "running" | "over" = "opening";
	/** Number of the last piece that was taken. */
	#taken = 0;

	constructor(place: ExecPlace, mark: string, listener: Listener) {
		this.#place = place;
		this.#mark = mark;
		this.#listener = listener;
		this.#hello.promise.catch(() => undefined);
		this.#terminal = new Terminal(place, {
			reader: () => this.#reader(),
			onReconnect: () => this.#askAgain(),
			onLost: (cause) => this.#lose(cause),
		});
	}

	/**
	 * Brings script and input there and starts the process.
	 * @throws {NotStarted} When the service or the connection fails before; nothing runs then.
	 * @throws {BackendUnavailable} When the sandbox runs no such script.
	 */
	async begin({ script, input, signal, prepare }: BeginOptions): Promise<void> {
		try {
			await this.#terminal.open(`${this.#mark}r`, script, signal);
			if (input !== undefined) this.#terminal.send(input);
			const limit = AbortSignal.timeout(helloLimitMs);
			await untilAborted(this.#hello.promise, AbortSignal.any([signal, limit]));
			await prepare();
			signal.throwIfAborted();
		} catch (cause) {
			// A script that was not told to go starts nothing.
			this.#phase = "over";
			await this.#terminal.end();
			throw cause;
		}
		this.#phase = "running";
		this.#terminal.keep();
		this.#terminal.send("go\n");
	}

	/** Signals the process and what it started; without a signal it ends them and resolves when they are gone. */
	async kill(signal: NodeJS.Signals | undefined): Promise<void> {
		if (this.#phase !== "running") return;
		const id = ++this.#killCount;
		const how = signal?.replace(/^SIG/, "") ?? "end";
		const { promise: answered, resolve } = Promise.withResolvers<void>();
		this.#kills.set(id, { how, done: resolve });
		this.#terminal.send(`k ${id} ${how}\n`);
		const limit = Promise.withResolvers<void>();
		const timer = setTimeout(limit.resolve, killLimitMs);
		await Promise.race([answered, limit.promise.then(() => this.#giveUp())]);
		clearTimeout(timer);
	}

	/** The script has said that what `kill` asked for is done. */
	killed(id: number): void {
		this.#kills.get(id)?.done();
		this.#kills.delete(id);
	}

	/** The process has ended: what others still write is not waited for. */
	cut(): void {
		if (this.#phase === "running") this.#terminal.send("c\n");
	}

	#reader(): (data: Uint8Array) => void {
		const reader = new ChunkReader(inStream(`${this.#mark}p`));
		return (data) => {
			for (const chunk of reader.push(data)) this.#take(chunk);
		};
	}

	#askAgain(): void {
		this.#terminal.send("again\n");
		for (const [id, { how }] of this.#kills) this.#terminal.send(`k ${id} ${how}\n`);
	}

	#take({ kind, number, bytes }: Chunk): void {
		if (kind === "hello") {
			this.#hello.resolve();
			// It says so again when it has not heard us.
			if (this.#phase === "running") this.#terminal.send("go\n");
			return;
		}
		if (kind === "failed") {
			const why = bytes.toString("utf8");
			this.#hello.reject(new BackendUnavailable(`Cannot start a process in ${this.#place.name}: ${why}`));
			return;
		}
		const isNew = number > this.#taken;
		this.#taken = Math.max(this.#taken, number);
		const acknowledge = () => this.#terminal.send(`a ${number}\n`);
		if (kind === "output" && isNew) {
			void this.#listener.onOutput(bytes).then(acknowledge);
			return;
		}
		if (kind !== "output" && isNew) this.#listener.onControl(bytes);
		acknowledge();
		if (kind === "last") this.#finish();
	}

	/** Ends what the service can find of it. */
	async #giveUp(): Promise<void> {
		await this.#terminal.end();
		const name = this.#place.name;
		this.#lose((await this.#place.whyDown()) ?? new ProcessLost(`Cannot end the command in ${name} in time`));
	}

	#lose(cause: Error): void {
		if (this.#phase === "opening") this.#hello.reject(cause);
		if (this.#phase !== "running") return;
		this.#close();
		this.#listener.onLost(cause);
	}

	#finish(): void {
		if (this.#phase === "over") return;
		this.#close();
		this.#listener.onLast();
	}

	#close(): void {
		this.#phase = "over";
		this.#terminal.close();
		for (const { done } of this.#kills.values()) done();
	}
}
