/** Turns the zod schema of a plug-in into rows of the key table, so that its keys are known, checked and shown like ours. */

import type { ZodType, z } from "zod";
import type { Key, Kind } from "./key.ts";

/** The settings of one plug-in: a flat object whose fields are keys of `section` (`docker_image` in `terminal`). */
export interface PluginSchema {
	readonly section: string;
	readonly plugin: string;
	readonly config: ZodType;
}

type Shape = z.core.JSONSchema.JSONSchema;

/**
 * The rows of plug-in schemas. They are lazy: only the plug-in that is opened refuses a wrong value, so that a stale
 * docker setting cannot break the local backend.
 */
export async function pluginKeys(schemas: readonly PluginSchema[]): Promise<Record<string, Key>> {
	if (schemas.length === 0) return {};
	const { toJSONSchema } = await import("zod");
	const rows = schemas.flatMap(({ section, plugin, config }) => {
		const { properties = {} } = toJSONSchema(config, { io: "input", unrepresentable: "any" });
		return Object.entries(properties).map(([name, shape]) => {
			const row = typeof shape === "boolean" ? {} : shape;
			return [`${section}.${name}`, rowOf(row, plugin, variableOf(section, name))] as const;
		});
	});
	return Object.fromEntries(rows);
}

function rowOf(shape: Shape, plugin: string, facts: Partial<Key>): Key {
	const choices = (shape.anyOf ?? [shape]).filter((option): option is Shape => typeof option !== "boolean");
	const nullable = choices.some((option) => typesOf(option).includes("null"));
	const real = choices.filter((option) => typesOf(option).some((type) => type !== "null") || option.enum);
	const [main = {}] = real;
	return {
		kind: kindOf(real.length > 1 ? {} : main),
		fallback: shape.default,
		about: shape.description ?? main.description ?? `Setting of ${plugin}`,
		used: true,
		lazy: true,
		...(nullable ? { nullable } : {}),
		...facts,
	};
}

/** Every `terminal.` key has the variable that the original gave it. */
function variableOf(section: string, name: string): Partial<Key> {
	return section === "terminal" ? { environment: [`TERMINAL_${name.toUpperCase()}`] } : {};
}

function kindOf(shape: Shape): Kind {
	if (shape.enum) return { type: "choice", options: shape.enum.map(String) };
	const types = typesOf(shape).filter((name) => name !== "null");
	const type = types.length > 1 ? undefined : types[0];
	switch (type) {
		case "string":
			return { type: "text" };
		case "boolean":
			return { type: "boolean" };
		case "integer":
		case "number":
			return { type, ...bound("min", shape.minimum), ...bound("max", shape.maximum) };
		case "array":
			return { type: isTextItems(shape.items) ? "texts" : "list" };
		case "object":
			return { type: "map" };
		default:
			return { type: "any" };
	}
}

/** zod writes `["number", "null"]` where the type of the specification allows one name only. */
function typesOf(shape: Shape): readonly string[] {
	const types: string | readonly string[] | undefined = shape.type;
	return types === undefined ? [] : [types].flat();
}

/** The bound that zod gives every whole number says nothing. */
function bound(name: "min" | "max", value: number | undefined): { min?: number; max?: number } {
	return value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? {} : { [name]: value };
}

function isTextItems(items: Shape["items"]): boolean {
	return typeof items === "object" && !Array.isArray(items) && items.type === "string";
}
