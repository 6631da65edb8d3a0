/** Remote servers whose answer is cut off on its way. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { z } from "zod";
import { startMcpHttpServer } from "../support/mcp-http-server.ts";
import { openMcp } from "../support/mcp-servers.ts";

// Far below the time that a call may take.
setDefaultTimeout(60_000);

async function isCall(request: Request): Promise<boolean> {
	return request.method === "POST" && (await request.clone().text()).includes('"tools/call"');
}

const events = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });
const result = { content: [{ type: "text", text: "here" }] };
const answered = (id: unknown) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`;

test.each([
	["nothing", ""],
	["half an event", 'data: {"jsonrpc":"2.0"'],
	["news alone", 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'],
	["the answer to something else", answered(4711)],
])("a stream that ends with %s is told at once, and the server is used on", async (_name, text) => {
	let isCut = true;
	await using server = startMcpHttpServer({
		instead: async (request) => (isCut && (await isCall(request)) ? events(text) : undefined),
	});
	await using mcp = await openMcp({ s: { url: server.url, timeout: 3_600 } });
	expect((await mcp.call("mcp_s_echo")).error).toBe(
		'Cannot use MCP server "s": its answer was cut off, and whether it did what was asked is not known: Connection closed',
	);
	isCut = false;
	expect((await mcp.call("mcp_s_echo")).result).toStartWith("echo ");
	// It may have been done: it is not sent again.
	expect(server.requests.filter((request) => request === "POST tools/call")).toHaveLength(1);
});

test("a stream that ends with the answer has answered", async () => {
	await using server = startMcpHttpServer({
		async instead(request) {
			if (!(await isCall(request))) return undefined;
			return events(answered(z.object({ id: z.number() }).parse(await request.clone().json()).id));
		},
	});
	await using mcp = await openMcp({ s: { url: server.url } });
	expect(await mcp.call("mcp_s_echo")).toEqual({ result: "here" });
});
