/** An MCP server on the network for tests, without the SDK: sessions that can be forgotten, tools that can change, and every request noted. */

/** A tool by its name; what it answers is its name and the session. */
export interface HttpServerOptions {
	/** The port of an earlier one. */
	readonly port?: number;
	readonly tools?: readonly string[];
	/** Whether `ping` is answered. */
	readonly ignoresPing?: boolean;
	/** Answers instead of the server, where it gives one. */
	instead?(request: Request): Response | undefined | Promise<Response | undefined>;
	readonly tls?: Bun.TLSOptions;
}

/** One that runs. */
export interface McpHttpServer extends AsyncDisposable {
	readonly url: string;
	readonly port: number;
	/** `METHOD rpc-method`, in order. */
	readonly requests: string[];
	/** Headers of each request. */
	readonly headers: Headers[];
	/** Forgets every session, as a server that was started anew does. */
	forget(): void;
	/** Changes the tools and says so. */
	change(tools: readonly string[]): void;
}

interface Message {
	readonly id?: number;
	readonly method?: string;
	readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

const asEvent = (message: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;

export function startMcpHttpServer(options: HttpServerOptions = {}): McpHttpServer {
	let tools = options.tools ?? ["echo"];
	const sessions = new Set<string>();
	const streams = new Set<ReadableStreamDefaultController<string>>();
	const requests: string[] = [];
	const headers: Headers[] = [];
	const answer = (method: string, params: NonNullable<Message["params"]>, session: string) => {
		if (method === "initialize") {
			const { protocolVersion } = params;
			return {
				protocolVersion,
				capabilities: { tools: { listChanged: true } },
				serverInfo: { name: "t", version: "1" },
			};
		}
		if (method === "tools/list") {
			return { tools: tools.map((name) => ({ name, inputSchema: { type: "object", properties: {} } })) };
		}
		return method === "tools/call" ? { content: [{ type: "text", text: `${params.name} ${session}` }] } : {};
	};
	const post = async (request: Request): Promise<Response> => {
		const { id, method = "", params }: Message = JSON.parse(await request.text());
		requests.push(`POST ${method}`);
		const known = request.headers.get("mcp-session-id");
		if (method !== "initialize" && (known === null || !sessions.has(known))) {
			const error = { code: -32_001, message: "Session not found" };
			return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
		}
		if (id === undefined) return new Response(null, { status: 202 });
		if (method === "ping" && options.ignoresPing) return new Promise(() => {});
		const session = known ?? crypto.randomUUID();
		sessions.add(session);
		const result = answer(method, params ?? {}, session);
		return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": session } });
	};
	const server = Bun.serve({
		port: options.port ?? 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		...(options.tls && { tls: options.tls }),
		async fetch(request): Promise<Response> {
			headers.push(request.headers);
			const other = await options.instead?.(request);
			if (other !== undefined) {
				requests.push(`${request.method} instead`);
				return other;
			}
			if (request.method === "POST") return await post(request);
			requests.push(request.method);
			if (request.method !== "GET") return new Response(null, { status: 200 });
			const stream = new ReadableStream<string>({
				start(controller) {
					streams.add(controller);
					controller.enqueue(": hello\n\n");
				},
			});
			return new Response(stream, { headers: { "content-type": "text/event-stream" } });
		},
	});
	const port = server.port ?? 0;
	return {
		url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}/mcp`,
		port,
		requests,
		headers,
		forget: () => sessions.clear(),
		change(changed) {
			tools = changed;
			const event = asEvent({ method: "notifications/tools/list_changed" });
			for (const controller of streams) controller.enqueue(event);
		},
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}
