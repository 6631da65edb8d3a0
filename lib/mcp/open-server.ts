/** One configured server in a run: its connection, and its tools in the registry. */

import { untilAborted } from "../base/abort.ts";
import { attemptAsync } from "../base/attempt.ts";
import type { Logger } from "../log/logger.ts";
import type { Registry } from "../registry/registry.ts";
import type { ClientParts } from "./client-parts.ts";
import { Connection, type ConnectionState } from "./connection.ts";
import { shownReason, stateOf } from "./failure.ts";
import { listTools } from "./listing.ts";
import { mediaCache } from "./media.ts";
import type { ServerSettings } from "./server-settings.ts";
import { createServerTools, type LeftOut, type OfferedTool, type ServerTools } from "./server-tools.ts";
import { type Timing, usualTiming } from "./timing.ts";
import type { ServerPlace } from "./transports/open-transport.ts";

/** How a server is now. */
export interface ServerStatus {
	readonly name: string;
	readonly transport: ServerSettings["kind"];
	readonly state: ConnectionState | "disabled";
	readonly tools: readonly OfferedTool[];
	readonly leftOut: readonly LeftOut[];
	readonly warnings: readonly string[];
	/** Why it is not connected, or has no tools. */
	readonly problem?: string;
}

/** What every server of a run is opened with. */
export interface OpenServerParts {
	readonly registry: Registry;
	readonly place: ServerPlace;
	readonly parts?: ClientParts | undefined;
	readonly timing?: Timing | undefined;
	/** HERMES_HOME, for what servers answer with that is no text; such content is only named without it. */
	readonly home?: string | undefined;
}

/** A server as the settings have it. */
export interface ConfiguredServer {
	readonly name: string;
	readonly settings: ServerSettings;
	/** What should be said about its entry. */
	readonly warnings: readonly string[];
	/** Every server that is configured. */
	readonly servers: readonly string[];
}

/** A server that is looked after. Disposing it ends it and takes its tools away. */
export class OpenServer implements AsyncDisposable {
	readonly name: string;
	readonly settings: ServerSettings;
	readonly #warnings: readonly string[];
	readonly #connection: Connection;
	readonly #tools: ServerTools;
	readonly #log: Logger;
	readonly #closed = new AbortController();
	readonly #timing: Timing;
	#listProblem: string | undefined;
	#listFailures = 0;
	#listRetry: Timer | undefined;
	/** A list that is asked for now, and whether another one has to follow it. */
	#listing: Promise<void> | undefined;
	#isListStale = false;
	/** When the last list came; milliseconds of `performance.now()`. */
	#listedAt = Number.NEGATIVE_INFINITY;

	constructor(
		{ name, settings, servers, warnings }: ConfiguredServer,
		log: Logger,
		{ registry, place, parts, timing, home }: OpenServerParts,
	) {
		this.name = name;
		this.settings = settings;
		this.#warnings = warnings;
		this.#log = log;
		this.#timing = timing ?? usualTiming;
		this.#connection = new Connection({
			server: { name, settings, log },
			place,
			parts,
			timing,
			onSession: () => this.#list().first,
			onToolsChanged: () => void this.#list(),
		});
		const save = home === undefined ? undefined : mediaCache(home);
		const connection = this.#connection;
		this.#tools = createServerTools({ server: name, settings, servers, registry, connection, save, log });
	}

	/** Resolves when its tools are there, or the first try has failed; it is tried again by itself. */
	async start(): Promise<void> {
		await this.#connection.start();
	}

	get status(): ServerStatus {
		const problem = this.#connection.problem ?? this.#listProblem;
		return {
			name: this.name,
			transport: this.settings.kind,
			state: this.#connection.state,
			tools: this.#tools.offered,
			leftOut: this.#tools.leftOut,
			warnings: [...this.#warnings, ...this.#tools.warnings],
			...(problem !== undefined && { problem }),
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed.abort();
		clearTimeout(this.#listRetry);
		this.#tools.clear();
		await this.#connection[Symbol.asyncDispose]();
	}

	/** One list at a time; news that come meanwhile mean one more after it. `first`: one has come, and there may be more. */
	#list(): { readonly first: Promise<void> } {
		this.#isListStale = true;
		const { promise: first, resolve } = Promise.withResolvers<void>();
		this.#listing ??= this.#listUntilFresh(resolve).finally(() => {
			this.#listing = undefined;
		});
		void this.#listing.then(resolve);
		return { first };
	}

	async #listUntilFresh(onListed: () => void): Promise<void> {
		while (this.#isListStale && !this.#closed.signal.aborted) {
			await this.#untilListIsDue();
			this.#isListStale = false;
			const listed = await attemptAsync(() => this.#listOnce());
			this.#listedAt = performance.now();
			onListed();
			if (listed.ok) {
				this.#listProblem = undefined;
				this.#listFailures = 0;
			} else if (!this.#closed.signal.aborted) {
				this.#listProblem = stateOf(listed.reason);
				this.#log.warning(shownReason(listed.reason));
				this.#listLater();
			}
		}
	}

	/** A server that says without end that its tools have changed is not listened to without end. */
	async #untilListIsDue(): Promise<void> {
		const waitMs = this.#listedAt + this.#timing.listPauseMs - performance.now();
		if (waitMs > 0) await attemptAsync(() => untilAborted(Bun.sleep(waitMs), this.#closed.signal));
	}

	/** A connection that is lost brings a list of its own; one that is slow is asked again. */
	#listLater(): void {
		const { firstRetryMs, longestRetryMs } = this.#timing;
		const waitMs = Math.min(firstRetryMs * 2 ** this.#listFailures++, longestRetryMs);
		clearTimeout(this.#listRetry);
		this.#listRetry = setTimeout(() => {
			if (this.#connection.state === "connected") void this.#list();
		}, waitMs).unref();
	}

	async #listOnce(): Promise<void> {
		const limits = { signal: this.#closed.signal, limitMs: this.settings.connect_timeout * 1_000 };
		const ask = this.#connection.request.bind(this.#connection);
		// A server without tools may have prompts, and is not asked for what it does not know.
		const hasTools = this.#connection.capabilities?.tools !== undefined;
		const listing = hasTools ? await listTools(ask, limits) : { tools: [], unreadable: 0 };
		if (!this.#closed.signal.aborted) this.#tools.update(listing);
	}
}
