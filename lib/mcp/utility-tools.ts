/** Tools that reach what a server has besides tools: resources and prompts. */

import { type ToolAnswer, toolResult } from "../registry/tool.ts";
import { resourceText, textOf } from "./call-result.ts";
import type { Connection } from "./connection.ts";
import { type Ask, listPrompts, listResources } from "./listing.ts";
import type { RequestLimits } from "./session.ts";
import { promptResult, resourceResult } from "./wire.ts";

/** One of them. */
export interface UtilityTool {
	/** Of the tool of the server that it stands beside. */
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	/** @throws {ServerFailed} */
	run(ask: Ask, args: Readonly<Record<string, unknown>>, limits: RequestLimits): Promise<ToolAnswer>;
}

/** Those of a server that has the capability, unless the settings do not want them. */
export function utilityTools(
	server: string,
	capabilities: Connection["capabilities"],
	wanted: { readonly resources: boolean; readonly prompts: boolean },
): UtilityTool[] {
	return [
		...(wanted.resources && capabilities?.resources !== undefined ? resourceTools(server) : []),
		...(wanted.prompts && capabilities?.prompts !== undefined ? promptTools(server) : []),
	];
}

const nothing = { type: "object", properties: {} };

function resourceTools(server: string): UtilityTool[] {
	return [
		{
			name: "list_resources",
			description: `List the resources of the MCP server ${server}`,
			parameters: nothing,
			async run(ask, _args, limits) {
				const resources = await listResources(ask, limits);
				return toolResult({
					resources: resources.map(({ uri, name, title, description, mimeType }) => ({
						uri,
						name: name ?? title ?? uri,
						description,
						mimeType,
					})),
				});
			},
		},
		{
			name: "read_resource",
			description: `Read a resource of the MCP server ${server}`,
			parameters: {
				type: "object",
				properties: { uri: { type: "string", description: "As list_resources names it" } },
				required: ["uri"],
			},
			async run(ask, { uri }, limits) {
				const { contents } = await ask({ method: "resources/read", params: { uri }, result: resourceResult }, limits);
				return toolResult({ result: contents.map(resourceText).join("\n") });
			},
		},
	];
}

function promptTools(server: string): UtilityTool[] {
	return [
		{
			name: "list_prompts",
			description: `List the prompts of the MCP server ${server}`,
			parameters: nothing,
			async run(ask, _args, limits) {
				const prompts = await listPrompts(ask, limits);
				return toolResult({
					prompts: prompts.map(({ name, title, description, arguments: args }) => ({
						name,
						description: description ?? title,
						arguments: args?.map(({ name, description, required }) => ({ name, description, required })),
					})),
				});
			},
		},
		{
			name: "get_prompt",
			description: `Get a prompt of the MCP server ${server}, filled in`,
			parameters: {
				type: "object",
				properties: {
					name: { type: "string", description: "As list_prompts names it" },
					arguments: {
						type: "object",
						properties: {},
						additionalProperties: { type: "string" },
						description: "A text for each argument of the prompt",
					},
				},
				required: ["name"],
			},
			async run(ask, { name, arguments: args }, limits) {
				const params = { name, arguments: args ?? {} };
				const { messages, description } = await ask({ method: "prompts/get", params, result: promptResult }, limits);
				const shown = messages.map(async ({ role, content }) => ({ role, content: await textOf(content) }));
				return toolResult({ messages: await Promise.all(shown), description });
			},
		},
	];
}
