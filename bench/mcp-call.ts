/** A tool of an MCP server that is a process, called as a model calls it, and by the SDK's own client. */

import { bareContext } from "../test/support/tools.ts";
import { defineBench } from "./bench.ts";
import { openOurs, openTheirs, serverWith } from "./mcp-servers.ts";

export default defineBench({
	operation: "tool of an MCP server over stdio",
	floor: "the same by the SDK's bare client",
	samples: 300,
	target: 1.5,

	async open() {
		const entry = serverWith(1);
		await using opened = new AsyncDisposableStack();
		const { registry } = opened.use(await openOurs([entry]));
		const [client] = opened.use(await openTheirs([entry])).clients;
		const tool = registry.get("mcp_s0_tool_0");
		if (tool === undefined || client === undefined) throw new Error("the servers are not there");
		const kept = opened.move();
		return {
			operation: () => tool.run({}, bareContext),
			floor: () => client.callTool({ name: "tool_0", arguments: {} }),
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	},
});
