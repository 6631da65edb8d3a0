/** Schemas in the form that xAI accepts. */

import type { ToolDefinition } from "../provider.ts";
import { isRecord } from "./wire-history.ts";

/** A copy without patterns, formats and values of lists that have a slash in them: they make xAI refuse all tools (#27197, #27907). */
export function withoutSlashes(tool: ToolDefinition): ToolDefinition {
	const cleaned = cleanSchema(tool.parameters);
	return isRecord(cleaned) ? { ...tool, parameters: cleaned } : tool;
}

function cleanSchema(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(cleanSchema);
	if (!isRecord(schema)) return schema;
	return Object.fromEntries(
		Object.entries(schema).flatMap(([key, value]) => {
			if (hasSchemas(key, value)) return [[key, mapValues(value)] as const];
			return accepted(key, value) ? [[key, cleanSchema(value)] as const] : [];
		}),
	);
}

/** Below these stand names of the user's choice, not words of the schema. */
function hasSchemas(key: string, value: unknown): value is Readonly<Record<string, unknown>> {
	return ["properties", "$defs", "definitions"].includes(key) && isRecord(value);
}

function mapValues(schemas: Readonly<Record<string, unknown>>) {
	return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, cleanSchema(schema)]));
}

function accepted(key: string, value: unknown): boolean {
	if ((key === "pattern" || key === "format") && typeof value === "string") return false;
	return (
		key !== "enum" || !Array.isArray(value) || !value.some((each) => typeof each === "string" && each.includes("/"))
	);
}
