/** A terminal in a sandbox whose connection may break: it is made again, and the script behind it asked where it was. */

import type { PtyHandle } from "@daytona/sdk";
import { untilAborted } from "../../../base/abort.ts";
import { reasonOf } from "../../../base/attempt.ts";
import { settledWithin } from "../../../base/settled-within.ts";
import { BackendUnavailable, ProcessLost } from "../../backend.ts";
import { missing, serviceError } from "../service-error.ts";
import { bootLine, inStream } from "./launch-script.ts";
import { type ExecPlace, NotStarted } from "./place.ts";

/** Who uses a terminal. */
export interface TerminalUser {
	/** What reads a new connection: what an older one said in part is not to be continued. */
	reader(): (data: Uint8Array) => void;
	/** There is a new connection. What was on its way, in either direction, may be lost. */
	onReconnect(): void;
	/** It cannot be reached any more. Before `keep` it is one of the errors that a start throws. */
	onLost(cause: Error): void;
}

/** The service takes at most 64 KB in one message. */
const messageBytes = 32_768;

/**
 * How long the shell of one try may take: the user's start-up files come before the script. What is typed while a shell prepares its
 * terminal is lost now and then, and nobody is told: then another shell is opened, since nothing has run in the first.
 */
const readyLimitsMs = [5_000, 10_000, 45_000];

/** After so long a silence the connection may be dead without anybody having been told. */
const silenceMs = 60_000;

/** How long connections are tried to be made again. */
const reconnectLimitMs = 60_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** How long a script may take to tidy up and end. */
const leaveLimitMs = 2_000;

/** What stood before our first word is kept for messages. */
const keptNoise = 2_000;

/** A connection that is being made. */
interface Connection {
	/** Takes what comes, also before the connection is known to be made. */
	take(data: Uint8Array): void;
	/** It is made. */
	follow(handle: PtyHandle): void;
	/** Nothing has taken its place. */
	isCurrent(): boolean;
}

/** One terminal, with a script of ours in it. */
export class Terminal {
	readonly #place: ExecPlace;
	readonly #user: TerminalUser;
	#session = newSession();
	readonly #ready = Promise.withResolvers<void>();
	#handle: PtyHandle | undefined;
	/** Grows with every connection: what an old one still says is of no interest. */
	#connection = 0;
	#phase: "opening" | "kept" | "over" = "opening";
	#noise = "";
	#silence: Timer | undefined;
	readonly #left = Promise.withResolvers<void>();

	constructor(place: ExecPlace, user: TerminalUser) {
		this.#place = place;
		this.#user = user;
		this.#ready.promise.catch(() => undefined);
		const left = this.#left.promise.finally(() => place.terminals.delete(left));
		place.terminals.add(left);
	}

	/**
	 * Starts a shell and hands it `script`. `mark` is said by nobody else.
	 * @throws {NotStarted} When the service or the connection fails; the script has not come whole then.
	 * @throws {BackendUnavailable} When the shell there takes too long.
	 */
	async open(mark: string, script: string, signal: AbortSignal): Promise<void> {
		for (const limitMs of readyLimitsMs) {
			await untilAborted(this.#connect(mark), signal);
			if (await this.#isReady(limitMs, signal)) break;
			if (limitMs === readyLimitsMs.at(-1)) throw this.#tookTooLong();
			await this.#startOver();
		}
		const text = Buffer.from(script);
		this.send(Buffer.concat([Buffer.from(`${text.length}\n`), text]));
	}

	/** From now on a connection that breaks is made again. */
	keep(): void {
		if (this.#phase === "opening") this.#phase = "kept";
		this.#listen();
	}

	/** What does not arrive is a matter of the next connection. */
	send(data: string | Uint8Array): void {
		const bytes = typeof data === "string" ? Buffer.from(data) : data;
		for (let at = 0; at < bytes.length; at += messageBytes) {
			this.#handle?.sendInput(bytes.subarray(at, at + messageBytes)).catch(() => undefined);
		}
	}

	/** Lets go of it. The script has what it was sent, and some time to end by itself. */
	close(): void {
		this.#phase = "over";
		clearTimeout(this.#silence);
		void this.#leave();
	}

	/** Ends its shell and what descends from that. */
	async end(): Promise<void> {
		this.close();
		if (this.#handle !== undefined) await this.#place.process.killPtySession(this.#session).catch(() => undefined);
	}

	async #leave(): Promise<void> {
		const handle = this.#handle;
		if (handle !== undefined) await settledWithin(handle.wait(), leaveLimitMs).catch(() => undefined);
		this.#left.resolve();
		void handle?.disconnect();
	}

	async #connect(mark: string): Promise<void> {
		const { take, follow, isCurrent } = this.#nextConnection();
		const word = inStream(mark);
		let said: Buffer | undefined = Buffer.alloc(0);
		const onData = (data: Uint8Array) => {
			if (said === undefined || !isCurrent()) return take(data);
			said = Buffer.concat([said, data]);
			const at = said.indexOf(word);
			this.#noise = said.toString("utf8", 0, at === -1 ? undefined : at).slice(-keptNoise);
			if (at === -1) return;
			const rest = said.subarray(at + word.length);
			said = undefined;
			this.#ready.resolve();
			take(rest);
		};
		try {
			const handle = await this.#place.process.createPty({ id: this.#session, cols: 80, rows: 24, onData });
			follow(handle);
		} catch (cause) {
			throw new NotStarted(`Cannot start a process in ${this.#place.name}: ${reasonOf(cause)}`, { cause });
		}
		// Whoever wanted it may have gone meanwhile.
		if (this.#phase === "over") await this.end();
		else this.send(bootLine(mark));
	}

	#nextConnection(): Connection {
		const connection = ++this.#connection;
		const read = this.#user.reader();
		const isCurrent = () => connection === this.#connection && this.#phase !== "over";
		return {
			take: (data) => {
				if (!isCurrent()) return;
				this.#listen();
				read(data);
			},
			follow: (handle) => {
				this.#handle = handle;
				const ended = () => {
					if (isCurrent()) this.#dropped(handle);
				};
				handle.wait().then(ended, ended);
				this.#listen();
			},
			isCurrent,
		};
	}

	/** Lets go of a shell that does not say its word, and of everything it may still say. */
	async #startOver(): Promise<void> {
		const [handle, session] = [this.#handle, this.#session];
		this.#connection++;
		this.#session = newSession();
		await this.#place.process.killPtySession(session).catch(() => undefined);
		void handle?.disconnect();
	}

	/** Begins to wait for the next word. */
	#listen(): void {
		clearTimeout(this.#silence);
		if (this.#phase !== "kept") return;
		this.#silence = setTimeout(() => void this.#reconnect(false), silenceMs);
		this.#silence.unref();
	}

	#dropped(handle: PtyHandle): void {
		const hasEnded = handle.exitCode !== undefined;
		if (this.#phase === "kept") return void this.#reconnect(hasEnded);
		const why = hasEnded ? `its shell ended: ${this.#shownNoise()}` : "the connection broke";
		const cause = new NotStarted(`Cannot start a process in ${this.#place.name}: ${why}`);
		this.#ready.reject(cause);
		this.#user.onLost(cause);
	}

	/** `hasEnded`: the service says that the shell has ended, which was not to be expected. */
	async #reconnect(hasEnded: boolean): Promise<void> {
		const old = this.#handle;
		const connection = this.#nextConnection();
		clearTimeout(this.#silence);
		void old?.disconnect();
		const giveUpAt = performance.now() + reconnectLimitMs;
		for (let pauseMs = firstPauseMs; this.#phase === "kept"; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
			const why = await this.#attach(connection);
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
			follow(await this.#place.process.connectPty(this.#session, { onData: take }));
		} catch (cause) {
			return reasonOf(cause);
		}
		this.#user.onReconnect();
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

	#lose(cause: Error): void {
		if (this.#phase === "over") return;
		this.close();
		this.#user.onLost(cause);
	}

	async #isReady(limitMs: number, signal: AbortSignal): Promise<boolean> {
		const limit = AbortSignal.timeout(limitMs);
		try {
			await untilAborted(this.#ready.promise, AbortSignal.any([signal, limit]));
			return true;
		} catch (cause) {
			signal.throwIfAborted();
			if (!limit.aborted) throw cause;
			return false;
		}
	}

	#tookTooLong(): BackendUnavailable {
		const seconds = readyLimitsMs.reduce((sum, limitMs) => sum + limitMs, 0) / 1000;
		return new BackendUnavailable(
			`Cannot start a process in ${this.#place.name}: its shell took longer than ${seconds} s: ${this.#shownNoise()}`,
		);
	}

	#shownNoise(): string {
		return Bun.stripANSI(this.#noise).replace(/\s+/g, " ").trim() || "it is silent";
	}
}

function newSession(): string {
	return `hermes-${crypto.randomUUID()}`;
}
