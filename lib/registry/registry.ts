/** The tools of one process: looked up by name, listed in name order, and why some are missing. */

import type { PluginFailure } from "../base/plugins.ts";
import { argumentsSchema, type JsonSchema } from "./json-schema.ts";
import type { Tool } from "./tool.ts";

export interface Registry {
	get(name: string): Tool | undefined;
	/** In name order, so that what the model sees never depends on load order. */
	list(): readonly Tool[];
	/** Toolset name to the names of its tools, both sorted. */
	toolsets(): ReadonlyMap<string, readonly string[]>;
	/** JSON Schema of the arguments of `tool`; made when first asked for. */
	parameters(tool: Tool): JsonSchema;
	/** Tools that are not here, and why: modules that did not load, names that were refused. */
	readonly failures: readonly PluginFailure[];
}

/** Providers refuse tool names outside this shape. */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The first tool of a name wins; later ones are refused and reported in `failures`, so that one bad plug-in stops no
 * other. `loadFailures` are the modules that could not be loaded.
 */
export function createRegistry(
	tools: ReadonlyMap<string, Tool> | readonly Tool[],
	loadFailures: readonly PluginFailure[] = [],
): Registry {
	const byName = new Map<string, Tool>();
	const failures = [...loadFailures];
	for (const tool of tools.values()) {
		const refusal = refusalOf(tool, byName);
		if (refusal === undefined) byName.set(tool.name, tool);
		else failures.push({ name: String(tool?.name), reason: refusal });
	}
	const sorted = [...byName.values()].sort((a, b) => compareNames(a.name, b.name));
	const schemas = new Map<Tool, JsonSchema>();

	return {
		get: (name) => byName.get(name),
		list: () => sorted,
		toolsets: () => toolsetsOf(sorted),
		parameters(tool) {
			const schema = schemas.get(tool) ?? argumentsSchema(tool.args);
			schemas.set(tool, schema);
			return schema;
		},
		failures,
	};
}

function refusalOf(tool: Tool, taken: ReadonlyMap<string, Tool>): string | undefined {
	if (typeof tool?.name !== "string" || typeof tool.run !== "function") return "its default export is not a tool";
	if (!namePattern.test(tool.name))
		return `Cannot register tool "${tool.name}": the name must match ${namePattern.source}`;
	const holder = taken.get(tool.name);
	if (holder !== undefined)
		return `Cannot register tool "${tool.name}": toolset "${holder.toolset}" already has that name`;
	return undefined;
}

function toolsetsOf(tools: readonly Tool[]): ReadonlyMap<string, readonly string[]> {
	const names = [...new Set(tools.map((tool) => tool.toolset))].sort(compareNames);
	return new Map(
		names.map((name) => [name, tools.filter((tool) => tool.toolset === name).map((tool) => tool.name)] as const),
	);
}

/** Code-unit order: the same on every machine, whatever its locale. */
function compareNames(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
