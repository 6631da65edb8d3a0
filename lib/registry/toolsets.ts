/** From the names a user gives (`-t file,terminal`) to tools. */

import { nearestName } from "../base/nearest-name.ts";
import type { Registry } from "./registry.ts";
import type { Tool } from "./tool.ts";

/** A selection names something that is neither a toolset nor a tool. The message names the nearest one that is. */
export class UnknownToolset extends Error {
	override readonly name = "UnknownToolset";
}

/**
 * The tools of `selection`, in name order and each once. A name is a toolset or a single tool; `all` and `*` are
 * everything, an empty selection is nothing, and no selection is everything.
 *
 * @throws {UnknownToolset} When a name is neither.
 */
export function selectTools(registry: Registry, selection?: readonly string[]): readonly Tool[] {
	if (selection === undefined) return registry.list();
	const toolsets = registry.toolsets();
	const wanted = new Set(selection.flatMap((name) => namesFor(name, registry, toolsets)));
	return registry.list().filter((tool) => wanted.has(tool.name));
}

function namesFor(
	name: string,
	registry: Registry,
	toolsets: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
	if (name === "all" || name === "*") return registry.list().map((tool) => tool.name);
	const members = toolsets.get(name);
	if (members !== undefined) return members;
	if (registry.get(name) !== undefined) return [name];
	const known = [...toolsets.keys(), ...registry.list().map((tool) => tool.name)];
	const nearest = nearestName(name, known);
	const advice =
		nearest === undefined ? `toolsets are ${[...toolsets.keys()].join(", ")}` : `did you mean "${nearest}"?`;
	throw new UnknownToolset(`Cannot select toolset "${name}": no toolset and no tool has that name; ${advice}`);
}
