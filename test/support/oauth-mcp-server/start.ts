/** An MCP server behind an OAuth service, both made of the SDK's own parts, in this process. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createAuthorization, type OAuthState } from "./authorization.ts";

/** What is special about it. */
export interface OAuthServerOptions {
	readonly accessSeconds?: number;
	/** Scopes that a token needs. */
	readonly scopes?: readonly string[];
	/** Neither the server nor the service says where anything is; clients guess the usual addresses. */
	readonly withoutMetadata?: boolean;
}

/** It runs until it is disposed of. */
export interface OAuthMcpServer extends AsyncDisposable {
	/** `http://127.0.0.1:PORT/mcp`. */
	readonly url: string;
	/** The same by the older transport. */
	readonly sseUrl: string;
	readonly state: OAuthState;
	/** `initialize` requests that came with a good token: sessions that were opened. */
	sessions(): number;
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;
/** Of Express, whose types are not installed. */
interface App {
	use(...handlers: Handler[]): void;
	all(path: string, ...handlers: Handler[]): void;
	get(path: string, ...handlers: Handler[]): void;
	post(path: string, ...handlers: Handler[]): void;
}

/** Starts it; one tool, `whoami`, says whose token a call came with. */
export async function startOAuthMcpServer(options: OAuthServerOptions = {}): Promise<OAuthMcpServer> {
	const state: OAuthState = {
		accessSeconds: options.accessSeconds ?? 3_600,
		denies: false,
		refreshFailure: "none",
		refreshes: 0,
		reused: 0,
		clients: new Map(),
		access: new Map(),
		refresh: new Map(),
		asked: [],
	};
	const app: App & Handler = createMcpExpressApp();
	const server = createServer((request, response) => void app(request, response, () => response.end()));
	const { promise: listens, resolve } = Promise.withResolvers<void>();
	server.listen(0, "127.0.0.1", resolve);
	await listens;
	const { port } = server.address() as AddressInfo;
	const base = new URL(`http://127.0.0.1:${port}`);
	const url = new URL("/mcp", base);
	const provider = createAuthorization(state);
	const scopes = [...(options.scopes ?? [])];
	app.use((request, response, next) => {
		if (options.withoutMetadata === true && request.url?.startsWith("/.well-known/")) response.writeHead(404).end();
		else if (state.refreshFailure === "page" && request.url === "/token") {
			state.refreshes++;
			response.writeHead(200, { "content-type": "text/html" }).end("<html>maintenance</html>");
		} else next();
	});
	app.use(
		mcpAuthRouter({
			provider,
			issuerUrl: base,
			resourceServerUrl: url,
			...(scopes.length > 0 && { scopesSupported: scopes }),
			authorizationOptions: { rateLimit: false },
			clientRegistrationOptions: { rateLimit: false },
			tokenOptions: { rateLimit: false },
			revocationOptions: { rateLimit: false },
		}),
	);
	const bearer = requireBearerAuth({
		verifier: provider,
		requiredScopes: scopes,
		...(options.withoutMetadata !== true && { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url) }),
	});
	const sessions = new Map<string, StreamableHTTPServerTransport>();
	let opened = 0;
	app.all("/mcp", bearer as unknown as Handler, async (request, response) => {
		const known = sessions.get(String(request.headers["mcp-session-id"]));
		if (known !== undefined) return await known.handleRequest(request, response, bodyOf(request));
		opened++;
		const transport = new StreamableHTTPServerTransport({
			sessionIdGenerator: () => crypto.randomUUID(),
			onsessioninitialized: (id) => void sessions.set(id, transport),
		});
		await whoAmI().connect(transport as unknown as Parameters<McpServer["connect"]>[0]);
		await transport.handleRequest(request, response, bodyOf(request));
	});
	const streams = new Map<string, SSEServerTransport>();
	app.get("/sse", bearer as unknown as Handler, async (_request, response) => {
		const transport = new SSEServerTransport("/messages", response);
		streams.set(transport.sessionId, transport);
		await whoAmI().connect(transport);
	});
	app.post("/messages", bearer as unknown as Handler, async (request, response) => {
		const id = new URL(request.url ?? "", base).searchParams.get("sessionId") ?? "";
		await streams.get(id)?.handlePostMessage(request, response, bodyOf(request));
	});
	return {
		url: url.href,
		sseUrl: new URL("/sse", base).href,
		state,
		sessions: () => opened,
		async [Symbol.asyncDispose]() {
			for (const transport of [...sessions.values(), ...streams.values()]) await transport.close();
			server.closeAllConnections();
			server.close();
		},
	};
}

function whoAmI(): McpServer {
	const server = new McpServer({ name: "behind-a-login", version: "1" });
	server.registerTool(
		"whoami",
		{ description: "Says whose token this is" },
		({ authInfo }: { authInfo?: AuthInfo }) => ({
			content: [{ type: "text", text: `client ${authInfo?.clientId}` }],
		}),
	);
	return server;
}

/** Read by Express before us. */
function bodyOf(request: IncomingMessage): unknown {
	return "body" in request ? request.body : undefined;
}
