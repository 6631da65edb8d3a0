/** Many MCP servers started, listed and registered, and the same by the SDK's own client. */

import { defineBench } from "./bench.ts";
import { openOurs, openTheirs, serverWith } from "./mcp-servers.ts";

const servers = 20;
const toolsOfEach = 30;

export default defineBench({
	operation: `${servers} MCP servers of ${toolsOfEach} tools started, listed and registered`,
	floor: "started and listed by the SDK's bare client",
	samples: 6,
	target: 1.2,

	async open() {
		const entries = Array.from({ length: servers }, () => serverWith(toolsOfEach));
		return {
			async operation() {
				await using opened = await openOurs(entries);
				if (opened.registry.list().length !== servers * toolsOfEach) throw new Error("tools are missing");
			},
			async floor() {
				await using opened = await openTheirs(entries);
				const lists = await Promise.all(opened.clients.map((client) => client.listTools()));
				if (lists.flatMap(({ tools }) => tools).length !== servers * toolsOfEach) throw new Error("tools are missing");
			},
			[Symbol.asyncDispose]: () => Promise.resolve(),
		};
	},
});
