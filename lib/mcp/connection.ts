/** The life of a connection to one server: made when needed, made anew when it is lost, left alone for a while when that keeps failing. */

import { z } from "zod";
import { untilAborted } from "../base/abort.ts";
import { attemptAsync } from "../base/attempt.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import type { ClientFeature, ClientParts, ServerIdentity, ServerLogin } from "./client-parts.ts";
import { Deadlines } from "./deadlines.ts";
import { type FailureKind, failuresOf, ServerFailed, stateOf } from "./failure.ts";
import { openSession, type Request, type RequestLimits, type Session } from "./session.ts";
import { type Timing, usualTiming } from "./timing.ts";
import type { ServerPlace } from "./transports/open-transport.ts";

/** What a connection is made with. */
export interface ConnectionOptions {
	readonly server: ServerIdentity;
	readonly place: ServerPlace;
	readonly parts?: ClientParts | undefined;
	readonly timing?: Timing | undefined;
	/** There is a new session; what it offers may be other than before. Awaited by `start` alone. */
	onSession?(): Promise<void>;
	/** The server says that its tools are others now. */
	onToolsChanged?(): void;
}

/** How a connection is. `idle`: nobody has needed it yet. */
export type ConnectionState = "idle" | "connecting" | "connected" | "failed" | "needs_login" | "closed";

const pingRequest = { method: "ping", params: {}, result: z.looseObject({}) } satisfies Request<z.ZodType>;

/** One server. */
export class Connection implements AsyncDisposable {
	readonly #options: ConnectionOptions;
	readonly #timing: Timing;
	readonly #breaker: Breaker;
	readonly #deadlines = new Deadlines();
	readonly #closed = new AbortController();
	#session: Session | undefined;
	#connecting: Promise<Session> | undefined;
	#login: Promise<ServerLogin | undefined> | undefined;
	#features: readonly ClientFeature[] | undefined;
	#mayStart: Promise<string | undefined> | undefined;
	#state: ConnectionState = "idle";
	#problem: string | undefined;
	#failuresInARow = 0;
	#connectedAt = 0;
	#retry: Timer | undefined;
	#keepAlive: Timer | undefined;
	#isLooking = false;
	/** What `onSession` does with the newest session. */
	#told: Promise<void> = Promise.resolve();
	/** The call that was asked for last, where calls run one after the other. */
	#lastCall: Promise<unknown> = Promise.resolve();

	constructor(options: ConnectionOptions) {
		this.#options = options;
		this.#timing = options.timing ?? usualTiming;
		this.#breaker = createBreaker(this.#timing.pauseMs);
	}

	get state(): ConnectionState {
		return this.#state;
	}

	/** Why it is not connected. */
	get problem(): string | undefined {
		return this.#problem;
	}

	/** What the server said it has; undefined while there is no session. */
	get capabilities(): Session["capabilities"] | undefined {
		return this.#session?.capabilities;
	}

	/** Connects; a failure is kept as `problem`, and tried again later by itself. Resolves after the first try. */
	async start(): Promise<void> {
		const connected = await attemptAsync(() => this.#connected(this.#closed.signal));
		if (connected.ok) await this.#told;
	}

	/** A request that every session may answer. Connects first where that is needed. @throws {ServerFailed} */
	async request<T extends z.ZodType>(request: Request<T>, limits: RequestLimits): Promise<z.output<T>> {
		const session = await this.#connected(limits.signal);
		try {
			const result = await session.request(request, limits);
			this.#armKeepAlive();
			this.#loggedInAgain(session);
			return result;
		} catch (cause) {
			const next = await this.#recovered(session, cause, limits.signal);
			return await next.request(request, limits);
		}
	}

	/**
	 * A request that a model asked for: refused at once while the server does not answer, and one after the other unless the
	 * settings say that it can do several. @throws {ServerFailed}
	 */
	async call<T extends z.ZodType>(request: Request<T>, limits: RequestLimits): Promise<z.output<T>> {
		if (this.#options.server.settings.supports_parallel_tool_calls) return await this.#watched(request, limits);
		const before = this.#lastCall;
		const run = async () => {
			await untilAborted(before, limits.signal).catch(() => {
				throw this.#failure("interrupted", "the call was interrupted while it waited for another one");
			});
			return await this.#watched(request, limits);
		};
		const running = run();
		// The next one waits for this one and the ones before, also when this one is given up while it waits.
		this.#lastCall = Promise.allSettled([before, running]);
		return await running;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#state = "closed";
		this.#closed.abort();
		clearTimeout(this.#retry);
		clearTimeout(this.#keepAlive);
		const connecting = this.#connecting;
		await this.#session?.[Symbol.asyncDispose]();
		this.#session = undefined;
		if (connecting !== undefined) {
			const late = await attemptAsync(() => connecting);
			if (late.ok) await late.value[Symbol.asyncDispose]();
		}
	}

	async #watched<T extends z.ZodType>(request: Request<T>, limits: RequestLimits): Promise<z.output<T>> {
		const waitMs = this.#breaker.wait();
		if (waitMs > 0) {
			const seconds = Math.ceil(waitMs / 1_000);
			const reason = this.#problem === undefined ? "" : ` (${this.#problem})`;
			throw this.#failure(
				"gone",
				`it did not answer ${this.#breaker.failures} times in a row${reason}; do NOT retry yet, it is asked again in ${seconds} s`,
			);
		}
		try {
			const result = await this.request(request, limits);
			this.#breaker.answered();
			return result;
		} catch (cause) {
			const kind = cause instanceof ServerFailed ? cause.kind : "gone";
			if (kind === "gone" || kind === "late") this.#breaker.failed();
			else if (kind === "interrupted") this.#breaker.unknown();
			else this.#breaker.answered();
			throw cause;
		}
	}

	/** A session to try once more with, after `cause`. @throws What was the cause, where a second try is of no use. */
	async #recovered(session: Session, cause: unknown, signal: AbortSignal): Promise<Session> {
		const kind = cause instanceof ServerFailed ? cause.kind : "gone";
		if (kind === "expired") {
			await this.#drop(session, "the server does not know the session any more");
			return await this.#connected(signal);
		}
		if (kind === "login") {
			const login = await this.#loginOf();
			const isWorthIt = await login?.recover(signal);
			if (isWorthIt !== true) throw this.#needsLogin(cause, login);
			await this.#drop(session, "a new login");
			return await this.#connected(signal);
		}
		if (kind === "refused" && (await this.#isCleared(cause, signal))) return session;
		// Whether the request was done is not known: it is not sent again. Whether the server is there is looked at now.
		if (kind === "gone" && this.#isRemote && session === this.#session) void this.#look(session);
		throw cause;
	}

	/** Whether what the server refused is possible now. */
	async #isCleared(cause: unknown, signal: AbortSignal): Promise<boolean> {
		const refusal = cause instanceof ServerFailed ? cause.cause : cause;
		for (const feature of this.#features ?? []) if (await feature.clears?.(refusal, signal)) return true;
		return false;
	}

	get #isRemote(): boolean {
		return this.#options.server.settings.kind !== "stdio";
	}

	async #connected(signal: AbortSignal): Promise<Session> {
		if (this.#session !== undefined) return this.#session;
		if (this.#closed.signal.aborted) throw this.#failure("gone", "the connection was closed");
		this.#connecting ??= this.#connect().finally(() => {
			this.#connecting = undefined;
		});
		const connecting = this.#connecting;
		try {
			return await untilAborted(connecting, signal);
		} catch (cause) {
			if (signal.aborted && !(cause instanceof ServerFailed)) {
				throw this.#failure("interrupted", "the call was interrupted before the server was there", cause);
			}
			throw cause;
		}
	}

	async #connect(): Promise<Session> {
		clearTimeout(this.#retry);
		this.#state = "connecting";
		try {
			await this.#checkMayStart();
			const session = await this.#openOnce();
			this.#session = session;
			this.#state = "connected";
			this.#problem = undefined;
			this.#connectedAt = performance.now();
			this.#breaker.answered();
			this.#armKeepAlive();
			this.#told = attemptAsync(async () => this.#options.onSession?.()).then(() => undefined);
			return session;
		} catch (cause) {
			this.#notConnected(cause);
			throw cause;
		}
	}

	/** With a new login when the server wants one that can be had without the user. */
	async #openOnce(): Promise<Session> {
		const login = await this.#loginOf();
		try {
			return await this.#open(login);
		} catch (cause) {
			if (!(cause instanceof ServerFailed) || cause.kind !== "login") throw cause;
			if (login === undefined || !(await login.recover(this.#closed.signal))) throw this.#needsLogin(cause, login);
			return await this.#open(login);
		}
	}

	async #open(login: ServerLogin | undefined): Promise<Session> {
		const { server, place, parts, onToolsChanged } = this.#options;
		this.#features ??= parts?.features?.(server) ?? [];
		let opened: Session | undefined;
		const session = await openSession({
			server,
			place,
			login,
			features: this.#features,
			deadlines: this.#deadlines,
			signal: this.#closed.signal,
			onToolsChanged: () => onToolsChanged?.(),
			onLost: (reason) => {
				if (opened !== undefined) void this.#drop(opened, reason);
			},
			onDoubt: () => {
				if (opened !== undefined && opened === this.#session) void this.#look(opened);
			},
		});
		opened = session;
		return session;
	}

	async #checkMayStart(): Promise<void> {
		const { server, parts } = this.#options;
		this.#mayStart ??= Promise.resolve(parts?.refusal?.(server, this.#closed.signal));
		const looked = this.#mayStart;
		const reason = await looked.catch((cause) => {
			this.#mayStart = undefined;
			throw cause;
		});
		if (reason !== undefined) throw this.#failure("settings", reason);
	}

	async #loginOf(): Promise<ServerLogin | undefined> {
		const { server, parts, place } = this.#options;
		const { settings } = server;
		if (settings.kind === "stdio" || parts?.login === undefined) return undefined;
		const { serverFetch } = await import("./transports/server-fetch.ts");
		this.#login ??= serverFetch(settings, place.variables).then((fetch) =>
			parts.login?.({ name: server.name, log: server.log, settings }, fetch),
		);
		return await this.#login;
	}

	#needsLogin(cause: unknown, login: ServerLogin | undefined): ServerFailed {
		const { name } = this.#options.server;
		// Not as YAML writes it: `auth: …` is masked as if it were a secret.
		const usual = `set its auth to oauth in config.yaml and run hermes mcp login ${name}, or give it a header`;
		this.#state = "needs_login";
		this.#problem = `it wants to know who you are; ${login?.advice ?? usual}`;
		return this.#failure("login", this.#problem, cause);
	}

	#notConnected(cause: unknown): void {
		if (this.#closed.signal.aborted) return;
		const kind = cause instanceof ServerFailed ? cause.kind : "settings";
		this.#state = kind === "login" ? "needs_login" : "failed";
		this.#problem = stateOf(cause);
		this.#options.server.log.warning(cause instanceof Error ? cause.message : String(cause));
		this.#failuresInARow++;
		// Another try would not help; one that a call asks for is made nevertheless.
		if (kind === "login") this.#awaitLogin();
		else if (kind !== "settings") this.#retryLater();
	}

	/** A new login is found by requests of a session that is open; what the server offers may be more now. */
	#loggedInAgain(session: Session): void {
		if (this.#state !== "needs_login" || this.#session !== session) return;
		this.#state = "connected";
		this.#problem = undefined;
		this.#options.onToolsChanged?.();
	}

	/** The user logs in with another hermes: nothing is asked of the server until they have. */
	#awaitLogin(): void {
		clearTimeout(this.#retry);
		this.#retry = setTimeout(async () => {
			const { signal } = this.#closed;
			const hasNew = await attemptAsync(async () => (await this.#loginOf())?.recover(signal));
			if (signal.aborted || this.#session !== undefined) return;
			if (hasNew.ok && hasNew.value === true) await attemptAsync(() => this.#connected(signal));
			else this.#awaitLogin();
		}, this.#timing.loginLookMs).unref();
	}

	/** Takes a session away that is of no use any more; a later one stays. */
	async #drop(session: Session, reason: string): Promise<void> {
		if (this.#session === session && !this.#closed.signal.aborted) {
			this.#session = undefined;
			this.#state = "failed";
			this.#problem = reason;
			clearTimeout(this.#keepAlive);
			this.#options.server.log.warning(`the connection was lost: ${reason}`);
			if (performance.now() - this.#connectedAt >= this.#timing.healthyMs) this.#failuresInARow = 0;
			this.#failuresInARow++;
			this.#retryLater();
		}
		await session[Symbol.asyncDispose]();
	}

	/** Never given up while we run, only less and less often: a server that was down at start is used once it is there. */
	#retryLater(): void {
		const { firstRetryMs, longestRetryMs } = this.#timing;
		const waitMs = Math.min(firstRetryMs * 2 ** (this.#failuresInARow - 1), longestRetryMs);
		clearTimeout(this.#retry);
		this.#retry = setTimeout(() => {
			this.#connected(this.#closed.signal).catch(() => undefined);
		}, waitMs).unref();
	}

	/** A process tells by its end that it is gone; a remote server has to be asked. */
	#armKeepAlive(): void {
		if (!this.#isRemote) return;
		clearTimeout(this.#keepAlive);
		this.#keepAlive = setTimeout(() => {
			if (this.#session !== undefined) void this.#look(this.#session);
		}, this.#timing.keepAliveMs).unref();
	}

	/** One that does not know `ping`, or is slow, is there; only one that cannot be reached or forgot us is not. */
	async #look(session: Session): Promise<void> {
		// What fails while we look is what we find out.
		if (this.#isLooking) return;
		this.#isLooking = true;
		const limits = { signal: this.#closed.signal, limitMs: this.#timing.keepAliveLimitMs };
		try {
			await session.request(pingRequest, limits);
		} catch (cause) {
			const kind = cause instanceof ServerFailed ? cause.kind : "gone";
			if (kind === "gone" || kind === "expired") await this.#drop(session, stateOf(cause));
		} finally {
			this.#isLooking = false;
		}
		if (this.#session === session) this.#armKeepAlive();
	}

	#failure(kind: FailureKind, state: string, cause?: unknown): ServerFailed {
		return failuresOf(this.#options.server.name)(kind, state, cause);
	}
}
