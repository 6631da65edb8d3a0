/** Answers the requests of one MCP client from one session of what is served. */

import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
	CallToolRequest,
	CallToolResult,
	ServerNotification,
	ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { attemptAsync } from "../../base/attempt.ts";
import { reportProgress } from "./progress.ts";
import { answerResourceRequests } from "./resource-requests.ts";
import type { Peer, Served, ServedSession, ServedTool, TellClient } from "./served.ts";

/** One client's end of the protocol. */
export interface OpenServer extends AsyncDisposable {
	/** To be connected to a transport once. */
	readonly server: Server;
	/** Calls that have not been answered. */
	readonly callsRunning: number;
	/** Interrupts every call that runs; their answers say so. */
	interruptCalls(reason: string): void;
}

/** What one client is served with; `onError` is told what goes wrong on its connection. */
export async function openMcpServer(served: Served, onError: (error: Error) => void): Promise<OpenServer> {
	const [sdk, types] = await Promise.all([
		import("@modelcontextprotocol/sdk/server/index.js"),
		import("@modelcontextprotocol/sdk/types.js"),
	]);
	const { name, version, instructions } = served;
	const offered = { tools: { listChanged: true }, logging: {}, ...(served.resources && { resources: {} }) };
	const server = new sdk.Server({ name, version }, { instructions, capabilities: offered });
	server.onerror = onError;
	if (served.resources !== undefined) await answerResourceRequests(server, served.resources);
	const session = served.openSession(tellThrough(server));
	const running = new Set<AbortController>();
	const listed = async () => [...(await session.tools())];
	/** The list that the client has, as text; none before it has asked. */
	let known: string | undefined;
	const tellOfChange = (tools: readonly ServedTool[]) => {
		const now = JSON.stringify(tools);
		if (known === undefined || known === now || server.transport === undefined) return;
		known = now;
		// Nobody may be there any more; the call itself finds out.
		server.sendToolListChanged().catch(() => undefined);
	};

	server.setRequestHandler(types.ListToolsRequestSchema, async ({ params }) => {
		// There is one page, so that no cursor can be ours.
		if (params?.cursor !== undefined) throw invalidParams("Unknown cursor");
		const tools = await listed();
		known = JSON.stringify(tools);
		return { tools };
	});

	server.setRequestHandler(loosely("tools/call"), async (request, extra): Promise<CallToolResult> => {
		const { params } = types.CallToolRequestSchema.parse(request);
		const tools = await listed();
		tellOfChange(tools);
		const names = tools.map((tool) => tool.name);
		if (!names.includes(params.name)) {
			throw invalidParams(`Unknown tool "${params.name}": there is ${names.join(", ") || "none"}`);
		}
		const interruption = new AbortController();
		running.add(interruption);
		try {
			const answer = await answerCall(session, { params, extra, server, interruption });
			// A call may have installed what a tool needs; that the list fails takes no answer away.
			const after = await attemptAsync(listed);
			if (after.ok) tellOfChange(after.value);
			return answer;
		} finally {
			running.delete(interruption);
		}
	});

	return {
		server,
		get callsRunning() {
			return running.size;
		},
		interruptCalls(reason) {
			for (const call of running) call.abort(new Error(reason));
		},
		async [Symbol.asyncDispose]() {
			// Calls are aborted with their connection; the session waits for their end.
			await server.close();
			await session[Symbol.asyncDispose]();
		},
	};
}

/** Lets a request through as it came. The SDK then says what is wrong with it as the client's mistake; a strict schema here would make it ours. */
function loosely<M extends string>(method: M) {
	return z.looseObject({ method: z.literal(method) });
}

/** The number goes to the client, and the text as it is; an error of the SDK's puts the number into the text as well. */
function invalidParams(text: string): Error {
	return Object.assign(new Error(text), { code: -32_602 });
}

interface Answering {
	readonly params: CallToolRequest["params"];
	readonly extra: RequestHandlerExtra<ServerRequest, ServerNotification>;
	readonly server: Server;
	readonly interruption: AbortController;
}

async function answerCall(session: ServedSession, { params, extra, server, interruption }: Answering) {
	const interrupt = () => interruption.abort(extra.signal.reason);
	extra.signal.addEventListener("abort", interrupt, { once: true });
	if (extra.signal.aborted) interrupt();
	const { _meta: meta } = extra;
	using progress = reportProgress({ token: meta?.progressToken, send: extra.sendNotification });
	const peer: Peer = {
		sendRequest: extra.sendRequest,
		sendNotification: extra.sendNotification,
		...(extra.closeSSEStream && { closeSSEStream: extra.closeSSEStream }),
		canElicit: server.getClientCapabilities()?.elicitation?.form !== undefined,
	};
	return await session.call({
		name: params.name,
		arguments: params.arguments ?? {},
		signal: interruption.signal,
		onOutput: (text) => progress.output(text),
		peer,
	});
}

/** Log messages, as the client wants them; before and after the connection there is nobody to tell. */
function tellThrough(server: Server): TellClient {
	return (level, data) => {
		if (server.transport === undefined) return;
		server.sendLoggingMessage({ level, logger: "hermes", data }, server.transport.sessionId).catch(() => undefined);
	};
}
