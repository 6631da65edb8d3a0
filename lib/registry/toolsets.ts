/** From the names a user gives (`-t file,terminal`, disabled sets) to names of tools. A wrong name is an error. */

import { nearestName } from "../base/nearest-name.ts";
import { compareNames, type Registry } from "./registry.ts";
import type { Tool } from "./tool.ts";
import { coreTools, olderNames, type ToolsetRow, toolsetTable } from "./toolset-table.ts";

/** A selection names something that is neither a toolset nor a tool. The message names the nearest one that is. */
export class UnknownToolset extends Error {
	override readonly name = "UnknownToolset";
}

/** What a session is given; left out, `enabled` is everything and `disabled` is nothing. */
export interface Selection {
	readonly enabled?: readonly string[] | undefined;
	/** Taken away last, whatever `enabled` says (#17309). */
	readonly disabled?: readonly string[] | undefined;
}

/** The names of a selection. */
export interface Selected {
	readonly names: ReadonlySet<string>;
	/** What the user should know about it, one line each. */
	readonly warnings: readonly string[];
}

const everything = ["all", "*"];
const core = new Set(coreTools);
const bundlePrefix = "hermes-";

/**
 * The set of `name`: of the table with what was registered under its name, of the registry alone, of an alias, or of a
 * platform that a plug-in brought. Undefined when there is none.
 */
export function toolsetNamed(registry: Registry, name: string): ToolsetRow | undefined {
	const registered = registry.toolsets().get(name) ?? [];
	const row = toolsetTable.get(name);
	if (row !== undefined) return registered.length === 0 ? row : { ...row, tools: union(row.tools, registered) };
	const description = registry.declared.get(name);
	if (registered.length > 0 || description !== undefined) {
		return { description: description ?? `Tools of ${name}`, tools: registered };
	}
	const target = registry.aliases.get(name);
	if (target !== undefined && target !== name) return toolsetNamed(registry, target);
	const platform = name.startsWith(bundlePrefix) ? name.slice(bundlePrefix.length) : "";
	if (!registry.platforms.has(platform)) return undefined;
	return {
		description: `Everything on ${platform}`,
		tools: union(coreTools, registry.toolsets().get(platform) ?? []),
	};
}

/** Every name that `toolsetNamed` knows, sorted. An alias stands in the place of what it means. */
export function toolsetNames(registry: Registry): string[] {
	const shown = new Map([...registry.aliases].filter(([alias]) => !toolsetTable.has(alias)).map(([a, t]) => [t, a]));
	const dynamic = [...registry.toolsets().keys(), ...registry.declared.keys()].filter(
		(name) => !toolsetTable.has(name),
	);
	const bundles = [...registry.platforms].map((platform) => bundlePrefix + platform);
	return union([...toolsetTable.keys(), ...dynamic.map((name) => shown.get(name) ?? name)], bundles);
}

/** The tools of a set and of all that it includes, sorted and each once; diamonds and circles are harmless. */
export function resolveToolset(registry: Registry, name: string): string[] {
	return [...collect(registry, name, new Set())].sort(compareNames);
}

/**
 * What disabling `name` takes away. Of a bundle that is only what it adds to the core: without that rule, disabling one
 * platform empties the list of every other (#33924). Any other set goes whole.
 */
export function removedBy(registry: Registry, name: string): string[] {
	const names = resolveToolset(registry, name);
	return isBundle(registry, name) ? names.filter((tool) => !core.has(tool)) : names;
}

/**
 * The names of a selection, which may be those of tools that are not registered.
 * @throws {UnknownToolset} When a name is neither a toolset nor a tool.
 */
export function resolveSelection(registry: Registry, { enabled, disabled = [] }: Selection): Selected {
	const given = enabled?.flatMap((name) => namesFor(registry, name, resolveToolset));
	const names = new Set(given ?? registry.list().map((tool) => tool.name));
	const warnings: string[] = [];
	for (const name of disabled) {
		const removed = namesFor(registry, name, removedBy);
		for (const tool of removed) names.delete(tool);
		if (removed.length === 0 && isBundle(registry, name)) {
			warnings.push(
				`disabling "${name}" changes nothing: all its tools belong to the core; disable toolsets such as web`,
			);
		}
	}
	return { names, warnings };
}

/**
 * The registered tools of `enabled`, in name order. `all` and `*` are everything, an empty list is nothing, and none is
 * everything.
 * @throws {UnknownToolset} When a name is neither a toolset nor a tool.
 */
export function selectTools(registry: Registry, enabled?: readonly string[]): readonly Tool[] {
	if (enabled === undefined) return registry.list();
	const { names } = resolveSelection(registry, { enabled });
	return registry.list().filter((tool) => names.has(tool.name));
}

/** Whether a set has every tool of the core; the bundles of platforms that strangers can write to have not. */
export function holdsCore(registry: Registry, name: string): boolean {
	const tools = new Set(toolsetNamed(registry, name)?.tools);
	return coreTools.every((tool) => tools.has(tool));
}

/** Sets that stand for a platform: by name, or because they hold the whole core. */
function isBundle(registry: Registry, name: string): boolean {
	return name.startsWith(bundlePrefix) || holdsCore(registry, name);
}

function namesFor(
	registry: Registry,
	name: string,
	resolve: (registry: Registry, name: string) => string[],
): readonly string[] {
	if (everything.includes(name) || toolsetNamed(registry, name) !== undefined) return resolve(registry, name);
	// A tool that this build may lack is still a name that a configuration may have.
	if (registry.get(name) !== undefined || toolsetOf(name) !== undefined) return [name];
	const older = olderNames.get(name);
	if (older !== undefined) return older;
	throw new UnknownToolset(
		`Cannot select toolset "${name}": no toolset and no tool has that name; ${advice(registry, name)}`,
	);
}

function advice(registry: Registry, name: string): string {
	const sets = [...toolsetNames(registry), ...registry.toolsets().keys(), ...registry.declared.keys()];
	const nearest = nearestName(name, [...sets, ...registry.list().map((tool) => tool.name)]);
	return nearest === undefined
		? `toolsets are ${[...registry.toolsets().keys()].join(", ")}`
		: `did you mean "${nearest}"?`;
}

/** The first set of the table that has `tool`, whether the tool is there or not. */
export function toolsetOf(tool: string): string | undefined {
	return [...toolsetTable].find(([, { tools }]) => tools.includes(tool))?.[0];
}

/** The sets share what was visited, so that each is opened once. */
function collect(registry: Registry, name: string, visited: Set<string>): Set<string> {
	if (visited.has(name)) return new Set();
	visited.add(name);
	const row = everything.includes(name)
		? { tools: registry.list().map((tool) => tool.name), includes: toolsetNames(registry) }
		: toolsetNamed(registry, name);
	const tools = new Set(row?.tools);
	for (const part of row?.includes ?? []) for (const tool of collect(registry, part, visited)) tools.add(tool);
	return tools;
}

function union(one: readonly string[], other: readonly string[]): string[] {
	return [...new Set([...one, ...other])].sort(compareNames);
}
