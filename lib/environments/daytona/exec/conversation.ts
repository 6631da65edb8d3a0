/** Talks with the script around one process, over connections that may break. */

import type { PtyHandle } from "@daytona/sdk";
import { untilAborted } from "../../../base/abort.ts";
import { reasonOf } from "../../../base/attempt.ts";
import { BackendUnavailable, ProcessLost } from "../../backend.ts";
import { missing, serviceError } from "../service-error.ts";
import { type Chunk, ChunkReader } from "./chunks.ts";
import { bootLine, inStream } from "./launch-script.ts";
import { type ExecPlace, NotStarted } from "./place.ts";

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

/** The service takes at most 64 KB in one message. */
const messageBytes = 32_768;

/** The user's start-up files come before the script. */
const readyLimitMs = 60_000;
/** A large input travels first. */
const helloLimitMs = 600_000;

/** After so long a silence the connection may be dead without anybody having been told. */
const silenceMs = 60_000;

/** How long connections are tried to be made again. */
const reconnectLimitMs = 60_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** How long the script may take to end what runs before the service is asked to. */
const killLimitMs = 15_000;

/** What stood before our first word is kept for messages. */
const keptNoise = 2_000;

/** A connection that is being made. */
interface Connection {
	/** Takes what comes, also before the connection is known to be made. */
	take(data: Uint8Array): void;
	/** It is made. */
	follow(handle: PtyHandle): void;
}

/** One process's script and our end of the line to it. */
export class Conversation {
	readonly #place: ExecPlace;
	readonly #mark: string;
	readonly #listener: Listener;
	readonly #session = `hermes-${crypto.randomUUID()}`;
	readonly #ready = Promise.withResolvers<void>();
	readonly #hello = Promise.withResolvers<void>();
	/** What was asked for and is not done yet. */
	readonly #kills = new Map<number, { readonly how: string; done(): void }>();
	#killCount = 0;
	#handle: PtyHandle | undefined;
	/** Grows with every connection: what an old one still says is of no interest. */
	#connection = 0;
	#phase: "opening" | "running" | "over" = "opening";
	/** Number of the last piece that was taken. */
	#taken = 0;
	#noise = "";
	#silence: Timer | undefined;

	constructor(place: ExecPlace, mark: string, listener: Listener) {
		this.#place = place;
		this.#mark = mark;
		this.#listener = listener;
		for (const { promise } of [this.#ready, this.#hello]) promise.catch(() => undefined);
	}

	/**
	 * Brings script and input there and starts the process.
	 * @throws {NotStarted} When the service or the connection fails before; nothing runs then.
	 * @throws {BackendUnavailable} When the sandbox runs no such script.
	 */
	async begin(script: string, input: Uint8Array | undefined, signal: AbortSignal): Promise<void> {
		try {
			await untilAborted(this.#connect(), signal);
			await this.#until(this.#ready.promise, readyLimitMs, signal);
			const text = Buffer.from(script);
			await this.#send(Buffer.concat([Buffer.from(`${text.length}\n`), text]));
			if (input !== undefined) await this.#send(input);
			await this.#until(this.#hello.promise, helloLimitMs, signal);
			this.#phase = "running";
			await this.#send("go\n");
		} catch (cause) {
			await this.#abandon();
			throw cause;
		}
	}

	/** Signals the process and what it started; without a signal it ends them and resolves when they are gone. */
	async kill(signal: NodeJS.Signals | undefined): Promise<void> {
		if (this.#phase !== "running") return;
		const id = ++this.#killCount;
		const how = signal?.replace(/^SIG/, "") ?? "end";
		const { promise: answered, resolve } = Promise.withResolvers<void>();
		this.#kills.set(id, { how, done: resolve });
		await this.#send(`k ${id} ${how}\n`);
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
		if (this.#phase === "running") void this.#send("c\n");
	}

	async #connect(): Promise<void> {
		const noise = { isReady: false, said: Buffer.alloc(0) };
		const word = inStream(`${this.#mark}r`);
		const { take, follow } = this.#nextConnection();
		const onData = (data: Uint8Array) => {
			if (noise.isReady) return take(data);
			noise.said = Buffer.concat([noise.said, data]);
			const at = noise.said.indexOf(word);
			this.#noise = noise.said.toString("utf8", 0, at === -1 ? undefined : at).slice(-keptNoise);
			if (at === -1) return;
			noise.isReady = true;
			this.#ready.resolve();
			take(noise.said.subarray(at + word.length));
		};
		try {
			const handle = await this.#place.process.createPty({ id: this.#session, cols: 80, rows: 24, onData });
			if (this.#phase === "over") return void this.#abandon();
			follow(handle);
		} catch (cause) {
			throw new NotStarted(`Cannot start a process in ${this.#place.name}: ${reasonOf(cause)}`, { cause });
		}
		await this.#send(bootLine(`${this.#mark}r`));
	}

	/** What reads a new connection, and watches for its end. */
	#nextConnection(): Connection {
		const connection = ++this.#connection;
		const reader = new ChunkReader(inStream(`${this.#mark}p`));
		return {
			take: (data: Uint8Array) => {
				if (connection !== this.#connection || this.#phase === "over") return;
				this.#listen();
				for (const chunk of reader.push(data)) this.#take(chunk);
			},
			follow: (handle: PtyHandle) => {
				this.#handle = handle;
				const ended = () => {
					if (connection === this.#connection) this.#dropped(handle);
				};
				handle.wait().then(ended, ended);
				this.#listen();
			},
		};
	}

	/** Begins to wait for the next word. */
	#listen(): void {
		clearTimeout(this.#silence);
		if (this.#phase !== "running") return;
		this.#silence = setTimeout(() => void this.#reconnect(), silenceMs);
		this.#silence.unref();
	}

	#take({ kind, number, bytes }: Chunk): void {
		if (kind === "hello") {
			this.#hello.resolve();
			// It says so again when it has not heard us.
			if (this.#phase === "running") void this.#send("go\n");
			return;
		}
		if (kind === "failed") {
			const why = bytes.toString("utf8");
			this.#hello.reject(new BackendUnavailable(`Cannot start a process in ${this.#place.name}: ${why}`));
			return;
		}
		const isNew = number > this.#taken;
		this.#taken = Math.max(this.#taken, number);
		if (kind === "output") {
			const hasRoom = isNew ? this.#listener.onOutput(bytes) : Promise.resolve();
			void hasRoom.then(() => this.#send(`a ${number}\n`));
			return;
		}
		if (isNew) this.#listener.onControl(bytes);
		void this.#send(`a ${number}\n`);
		if (kind === "last") this.#finish();
	}

	/** A connection that is being made again brings what was sent in vain: the script is asked what it said last. */
	async #send(data: string | Uint8Array): Promise<void> {
		const bytes = typeof data === "string" ? Buffer.from(data) : data;
		for (let at = 0; at < bytes.length; at += messageBytes) {
			try {
				await this.#handle?.sendInput(bytes.subarray(at, at + messageBytes));
			} catch {
				// Its end is told by the connection.
				return;
			}
		}
	}

	#dropped(handle: PtyHandle): void {
		if (this.#phase === "over") return;
		if (this.#phase === "running") {
			void this.#reconnect(handle.exitCode !== undefined);
			return;
		}
		const said = Bun.stripANSI(this.#noise).replace(/\s+/g, " ").trim();
		const why = handle.exitCode === undefined ? "the connection broke" : `its shell ended: ${said || "it is silent"}`;
		const cause = new NotStarted(`Cannot start a process in ${this.#place.name}: ${why}`);
		this.#ready.reject(cause);
		this.#hello.reject(cause);
	}

	/** `hasEnded`: the service says that the script has ended, which was not to be expected. */
	async #reconnect(hasEnded = false): Promise<void> {
		const old = this.#handle;
		const { take, follow } = this.#nextConnection();
		clearTimeout(this.#silence);
		void old?.disconnect();
		const giveUpAt = performance.now() + reconnectLimitMs;
		for (let pauseMs = firstPauseMs; this.#phase === "running"; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
			const why = await this.#attach({ take, follow });
			if (why === undefined) return;
			const cause = (await this.#place.whyDown()) ?? (await this.#whyGone(hasEnded));
			if (cause !== undefined) return this.#lose(cause);
			if (performance.now() > giveUpAt) {
				const name = this.#place.name;
				return this.#lose(new BackendUnavailable(`Lost the connection to ${name} while a command ran there: ${why}`));
			}
			await Bun.sleep(pauseMs);
		}
	}

	/** Why it did not work; undefined when it did. */
	async #attach({ take, follow }: Connection): Promise<string | undefined> {
		try {
			const handle = await this.#place.process.connectPty(this.#session, { onData: take });
			follow(handle);
		} catch (cause) {
			return reasonOf(cause);
		}
		await this.#send("again\n");
		for (const [id, { how }] of this.#kills) await this.#send(`k ${id} ${how}\n`);
		return undefined;
	}

	async #whyGone(hasEnded: boolean): Promise<Error | undefined> {
		const text = `Cannot follow the command: its terminal in ${this.#place.name} is gone`;
		try {
			const { active } = await this.#place.process.getPtySessionInfo(this.#session);
			return hasEnded || !active ? new ProcessLost(text) : undefined;
		} catch (cause) {
			return serviceError(cause).status === missing ? new ProcessLost(text, { cause }) : undefined;
		}
	}

	/** Ends what the service can find of it. */
	async #giveUp(): Promise<void> {
		await this.#place.process.killPtySession(this.#session).catch(() => undefined);
		const cause =
			(await this.#place.whyDown()) ?? new ProcessLost(`Cannot end the command in ${this.#place.name} in time`);
		this.#lose(cause);
	}

	#lose(cause: Error): void {
		if (this.#phase === "over") return;
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
		clearTimeout(this.#silence);
		for (const { done } of this.#kills.values()) done();
		// What was sent goes out first.
		void this.#handle?.disconnect();
	}

	/** A script that was not told to go starts nothing. */
	async #abandon(): Promise<void> {
		const handle = this.#handle;
		this.#phase = "over";
		this.#connection++;
		if (handle === undefined) return;
		void handle.disconnect();
		await this.#place.process.killPtySession(this.#session).catch(() => undefined);
	}

	async #until(promise: Promise<void>, limitMs: number, signal: AbortSignal): Promise<void> {
		const limit = AbortSignal.timeout(limitMs);
		try {
			await untilAborted(promise, AbortSignal.any([signal, limit]));
		} catch (cause) {
			signal.throwIfAborted();
			if (!limit.aborted) throw cause;
			const said = Bun.stripANSI(this.#noise).replace(/\s+/g, " ").trim();
			throw new BackendUnavailable(
				`Cannot start a process in ${this.#place.name}: its shell took longer than ${limitMs / 1000} s: ${said || "it is silent"}`,
				{ cause },
			);
		}
	}
}
