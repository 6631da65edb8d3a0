/** openMcpServer(): what a client is told without having asked. */

import { expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { openMcpServer } from "../../../lib/serve/mcp/mcp-server.ts";

test("openMcpServer() says that tools have changed to a client that has the list, and to no other", async () => {
	let names: readonly string[] | undefined = ["install"];
	const inputSchema = { type: "object" as const };
	await using open = await openMcpServer(
		{
			name: "changing",
			version: "1",
			instructions: "",
			openSession: () => ({
				async tools() {
					if (names === undefined) throw new Error("there is no list");
					return names.map((name) => ({ name, inputSchema }));
				},
				async call({ arguments: { breaks } }) {
					names = breaks ? undefined : [...(names ?? []), `tool_${names?.length}`];
					return { content: [] };
				},
				async [Symbol.asyncDispose]() {},
			}),
		},
		() => {},
	);
	const client = new Client({ name: "test", version: "1" });
	let told = 0;
	client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
	const [near, far] = InMemoryTransport.createLinkedPair();
	await Promise.all([open.server.connect(far), client.connect(near)]);
	const install = async () => {
		await client.callTool({ name: "install", arguments: {} });
		// Its answer comes after whatever was sent before it.
		await client.ping();
		return told;
	};
	expect(await install()).toBe(0);
	expect((await client.listTools()).tools.length).toBe(2);
	expect(await install()).toBe(1);
	expect((await client.listTools()).tools.length).toBe(3);
	// What was done is answered, though there is no list to tell of any more.
	expect(await client.callTool({ name: "install", arguments: { breaks: true } })).toEqual({ content: [] });
	await client.close();
});
