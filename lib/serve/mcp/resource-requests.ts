/** Answers a client that looks for something to read: what there is, how more of it is named, and what is in it. */

import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { ServedResources } from "./served.ts";

/** Of the protocol: nothing is there. */
const notFoundCode = -32_002;

/** Sets the handlers of a server that is not connected yet. */
export async function answerResourceRequests(server: Server, resources: ServedResources): Promise<void> {
	const types = await import("@modelcontextprotocol/sdk/types.js");
	server.setRequestHandler(types.ListResourcesRequestSchema, async () => ({
		resources: [...(await resources.list())],
	}));
	server.setRequestHandler(types.ListResourceTemplatesRequestSchema, async () => ({
		resourceTemplates: [...resources.templates],
	}));
	server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params: { uri } }) => {
		const content = await resources.read(uri);
		if (content !== undefined) return { contents: [{ ...content, uri }] };
		throw Object.assign(new Error("Resource not found"), { code: notFoundCode, data: { uri } });
	});
}
