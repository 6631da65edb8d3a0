/** The tools a model is told of. */

import { availability } from "./availability.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Registry } from "./registry.ts";
import { selectTools } from "./toolsets.ts";

/** A tool as the model sees it. `parameters` is a JSON Schema object. */
export interface ToolDefinition {
	readonly name: string;
	readonly description: string;
	readonly parameters: JsonSchema;
}

/**
 * The available tools of `selection` (toolset or tool names; everything when left out), in name order. The array is the
 * caller's own.
 *
 * @throws {UnknownToolset} When a name is neither a toolset nor a tool.
 */
export async function toolDefinitions(registry: Registry, selection?: readonly string[]): Promise<ToolDefinition[]> {
	const tools = selectTools(registry, selection);
	const verdicts = await Promise.all(tools.map(availability));
	return tools
		.filter((_, index) => verdicts[index] === true)
		.map((tool) => ({ name: tool.name, description: tool.description, parameters: registry.parameters(tool) }));
}
