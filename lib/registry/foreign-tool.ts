/** Tools that come from outside: an MCP server or a user's plug-in, described by a JSON Schema instead of zod. */

import { z } from "zod";
import type { JsonSchema } from "./json-schema.ts";
import { defineTool, type Tool, type ToolAnswer, type ToolContext, type ToolSource } from "./tool.ts";

/** What is known of such a tool. */
export interface ForeignTool extends Pick<Tool, "resultLimit" | "readOnly" | "loop" | "isUntrusted" | "available"> {
	readonly name: string;
	readonly toolset: string;
	readonly description: string;
	readonly parameters: JsonSchema;
	readonly source: ToolSource;
	/** Integers too large for a number arrive as texts of their digits. */
	run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolAnswer>;
}

/** A tool whose arguments are checked against `parameters` and reach `run` as they then are. */
export function foreignTool(tool: ForeignTool): Tool {
	return defineTool({ ...tool, args: z.looseObject({}) });
}
