/** Schemas of tools without the parts that some servers cannot make a grammar of. */

import type { ToolDefinition } from "../../providers/provider.ts";

/** Keywords that only narrow what a text may be; whether arguments fit is checked again before a call runs. */
const narrowing: ReadonlySet<string> = new Set(["pattern", "format"]);

/** `tools` without `pattern` and `format`. */
export function plainSchemas(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
	return tools.map((tool) => ({ ...tool, parameters: fields(tool.parameters, false) }));
}

/** Names of arguments stay, whatever they are called. */
function fields(node: Readonly<Record<string, unknown>>, holdsNames: boolean): Readonly<Record<string, unknown>> {
	return Object.fromEntries(
		Object.entries(node)
			.filter(([key, value]) => holdsNames || !narrowing.has(key) || typeof value !== "string")
			.map(([key, value]) => [key, plain(value, !holdsNames && key === "properties")]),
	);
}

function plain(value: unknown, holdsNames: boolean): unknown {
	if (Array.isArray(value)) return value.map((entry) => plain(entry, false));
	return typeof value === "object" && value !== null ? fields({ ...value }, holdsNames) : value;
}
