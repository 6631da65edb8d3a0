/** The connection to one MCP server: made when needed, made anew after a crash, left alone for a while when that keeps failing. */

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import { reasonOf } from "../base/attempt.ts";
import type { Logger } from "../log/logger.ts";
import { childEnvironment } from "../security/child-environment.ts";
import type { ServerSettings } from "./server-settings.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** A server did not do what it was asked: it could not be reached, or said no. */
export class ServerFailed extends Error {
	override readonly name = "ServerFailed";
}

/** What a connection is made with. */
export interface ConnectionOptions {
	readonly name: string;
	readonly settings: ServerSettings;
	/** Our own, of which the server sees what programs need. */
	readonly variables: Readonly<Record<string, string>>;
	readonly log: Logger;
}

/** Failures in a row after which nobody asks the server for a while. */
const mostFailures = 3;
const pauseMs = 60_000;
/** Pages of a list, so that a server which repeats itself ends. */
const mostPages = 1_000;
/** Codes of the SDK: the connection is closed, nobody answered in time. */
const transportCodes: ReadonlySet<unknown> = new Set([-32_000, -32_001]);

/** One server. */
export class Connection implements AsyncDisposable {
	readonly #options: ConnectionOptions;
	#client: Promise<Client> | undefined;
	#transport: StdioTransport | undefined;
	#failures = 0;
	#closedUntil = 0;

	constructor(options: ConnectionOptions) {
		this.#options = options;
	}

	/** Every tool, of all pages. @throws {ServerFailed} */
	async tools(): Promise<ListedTool[]> {
		return await this.#guarded(async (client) => {
			if (client.getServerCapabilities()?.tools === undefined) return [];
			const { ListToolsResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
			const found: ListedTool[] = [];
			let cursor: string | undefined;
			for (let page = 0; page < mostPages; page++) {
				const request = { method: "tools/list" as const, params: cursor === undefined ? {} : { cursor } };
				const { tools, nextCursor } = await client.request(request, ListToolsResultSchema, {
					timeout: this.#options.settings.connect_timeout * 1_000,
				});
				found.push(...tools);
				if (nextCursor === undefined || nextCursor === cursor) break;
				cursor = nextCursor;
			}
			return found;
		});
	}

	/** Calls run side by side. News of progress gives a call its whole time again. @throws {ServerFailed} */
	async call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
		return await this.#guarded(async (client) => {
			const { CallToolResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
			signal.throwIfAborted();
			const request = { method: "tools/call" as const, params: { name: tool, arguments: { ...args } } };
			return await client.request(request, CallToolResultSchema, {
				signal,
				timeout: this.#options.settings.timeout * 1_000,
				resetTimeoutOnProgress: true,
				onprogress: ({ message }) => this.#options.log.debug(`${tool}: ${message ?? "goes on"}`),
			});
		}, signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// Also while it is still connecting: that then fails.
		await this.#transport?.close();
		this.#client = undefined;
	}

	async #guarded<T>(use: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
		const waitMs = this.#closedUntil - performance.now();
		if (waitMs > 0) {
			throw this.#failure(`it failed ${this.#failures} times; do not ask again for ${Math.ceil(waitMs / 1_000)} s`);
		}
		try {
			const result = await use(await this.#connected());
			this.#failures = 0;
			return result;
		} catch (cause) {
			if (signal?.aborted) throw this.#failure("the call was interrupted", cause);
			if (isOfTransport(cause)) this.#count();
			else this.#failures = 0;
			throw this.#failure(reasonOf(cause), cause);
		}
	}

	#count(): void {
		this.#failures++;
		// After the pause one more failure is enough to pause again.
		if (this.#failures >= mostFailures) this.#closedUntil = performance.now() + pauseMs;
	}

	#connected(): Promise<Client> {
		if (this.#client !== undefined) return this.#client;
		const connecting = this.#connect();
		this.#client = connecting;
		connecting.catch(() => this.#forget(connecting));
		return connecting;
	}

	#forget(client: Promise<Client>): void {
		if (this.#client === client) this.#client = undefined;
	}

	async #connect(): Promise<Client> {
		const { settings, variables, log } = this.#options;
		const sdk = await import("@modelcontextprotocol/sdk/client/index.js");
		const client = new sdk.Client({ name: "hermes", version: "1" });
		const transport = new StdioTransport({
			command: settings.command,
			args: settings.args,
			environment: { ...childEnvironment(variables, { mode: "allowlist" }), ...settings.env },
			onErrorLine: (line) => log.info(`stderr: ${line}`),
		});
		this.#transport = transport;
		client.onerror = (error) => log.warning(reasonOf(error));
		try {
			await client.connect(transport, { timeout: settings.connect_timeout * 1_000 });
		} catch (cause) {
			await transport.close();
			throw cause;
		}
		client.onclose = () => {
			// A later connection is another matter.
			if (this.#transport === transport) this.#client = undefined;
			log.info("the server has ended");
		};
		return client;
	}

	#failure(state: string, cause?: unknown): ServerFailed {
		return new ServerFailed(`Cannot use MCP server "${this.#options.name}": ${state}`, { cause });
	}
}

/** The server gave no answer. One that says no is well. */
function isOfTransport(cause: unknown): boolean {
	if (!(cause instanceof Error) || !("code" in cause) || typeof cause.code !== "number") return true;
	return transportCodes.has(cause.code);
}
