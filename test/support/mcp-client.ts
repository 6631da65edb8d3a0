/** Clients of the MCP server that hermes is, made with the SDK as others make theirs. */

import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
	type CallToolResult,
	CallToolResultSchema,
	ElicitRequestSchema,
	type ElicitResult,
	LoggingMessageNotificationSchema,
	type Progress,
} from "@modelcontextprotocol/sdk/types.js";
import { hermesProgram } from "./run-hermes.ts";

/** What a client is able to do. */
export interface ClientOptions {
	/** Answers forms; without it the client has none to show. */
	elicit?(message: string): ElicitResult;
}

/** One call. */
export interface CallOptions {
	readonly signal?: AbortSignal;
	onProgress?(progress: Progress): void;
}

/** A connected client. */
export interface McpClient extends AsyncDisposable {
	readonly client: Client;
	/** What the server said that was no message of the protocol. */
	readonly errors: readonly string[];
	/** Resolves when a log message of the server fits, now or before. */
	isTold(fits: (text: string) => boolean): Promise<void>;
	/** The text of a result as JSON, and whether it is one of a failure. */
	call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CalledTool>;
}

/** What came of a call. */
export interface CalledTool {
	readonly isError: boolean;
	// biome-ignore lint/suspicious/noExplicitAny: each tool has another answer, and the tests compare it
	readonly answer: any;
}

/** A client on `transport`. */
export async function connectClient(transport: Transport, { elicit }: ClientOptions = {}): Promise<McpClient> {
	const errors: string[] = [];
	const told: string[] = [];
	let onTold = () => {};
	const client = new Client({ name: "test", version: "1" }, { capabilities: elicit ? { elicitation: {} } : {} });
	client.onerror = (error) => void errors.push(error.message);
	if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params.message));
	client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
		told.push(String(params.data));
		onTold();
	});
	await client.connect(transport);
	return {
		client,
		errors,
		async isTold(fits) {
			while (!told.some(fits)) {
				await new Promise<void>((resolve) => {
					onTold = resolve;
				});
			}
		},
		async call(name, args, { signal, onProgress } = {}) {
			const request = { method: "tools/call" as const, params: { name, arguments: { ...args } } };
			const result: CallToolResult = await client.request(request, CallToolResultSchema, {
				timeout: 60_000,
				...(signal && { signal }),
				...(onProgress && { onprogress: onProgress }),
			});
			const [first] = result.content;
			return { isError: result.isError === true, answer: first?.type === "text" ? JSON.parse(first.text) : first };
		},
		[Symbol.asyncDispose]: () => client.close(),
	};
}

/** How hermes is started. */
export interface StdioHermes extends ClientOptions {
	readonly home: string;
	readonly env?: Readonly<Record<string, string>>;
}

/** `hermes mcp serve …` as the process of a client. */
export async function connectToHermes(
	args: readonly string[],
	{ home, env, ...options }: StdioHermes,
): Promise<McpClient & { readonly pid: number }> {
	const [command = "", ...before] = hermesProgram();
	const transport = new StdioClientTransport({
		command,
		args: [...before, "mcp", "serve", ...args],
		cwd: home,
		env: { PATH: process.env.PATH ?? "", HOME: home, HERMES_HOME: join(home, ".hermes"), ...env },
		stderr: "inherit",
	});
	const connected = await connectClient(transport, options);
	return { ...connected, pid: transport.pid ?? 0 };
}

/** A client of a server that listens at `url`. */
export async function connectOverHttp(url: string, key: string, options: ClientOptions = {}): Promise<McpClient> {
	const transport = new StreamableHTTPClientTransport(new URL(url), {
		requestInit: { headers: { Authorization: `Bearer ${key}` } },
	});
	const connected = await connectClient(transport, options);
	return {
		...connected,
		async [Symbol.asyncDispose]() {
			// Leaves as a good client does: the server need not wait for it.
			await transport.terminateSession().catch(() => undefined);
			await connected.client.close();
		},
	};
}
