/** Tools made for benches: half with zod arguments as ours, half with JSON Schema as a server's. */

import { z } from "zod";
import { foreignTool } from "../lib/registry/foreign-tool.ts";
import { defineTool, type Tool, toolResult } from "../lib/registry/tool.ts";

/** `count` tools of toolset `mcp-generated` that do nothing. */
export function generatedTools(count: number): Tool[] {
	return Array.from({ length: count }, (_, index) => (index % 2 === 0 ? ownTool(index) : serverTool(index)));
}

const toolset = "mcp-generated";
const description = "Does nothing, at some length, so that its description has the size that descriptions have. ";

function ownTool(index: number): Tool {
	return defineTool({
		name: `generated_${index}`,
		toolset,
		description: description.repeat(3),
		args: z.object({
			path: z.string().min(1).describe("Where"),
			limit: z.int().min(1).max(100).default(10).describe("How many"),
			names: z.array(z.string()).optional().describe("Which"),
			options: z.object({ deep: z.boolean().default(false), mode: z.enum(["fast", "slow"]) }).optional(),
		}),
		run: async ({ limit }) => toolResult({ done: limit }),
	});
}

function serverTool(index: number): Tool {
	return foreignTool({
		name: `generated_${index}`,
		toolset,
		description: description.repeat(3),
		parameters: {
			type: "object",
			properties: {
				path: { type: "string", minLength: 1, description: "Where" },
				limit: { type: "integer", minimum: 1, maximum: 100, description: "How many" },
				names: { type: "array", items: { type: "string" }, description: "Which" },
				options: {
					type: "object",
					properties: { deep: { type: "boolean" }, mode: { type: "string", enum: ["fast", "slow"] } },
					required: ["mode"],
				},
			},
			required: ["path"],
		},
		source: { kind: "mcp", name: "generated" },
		run: async ({ limit }) => toolResult({ done: limit }),
	});
}
