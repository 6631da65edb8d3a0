/** Tools by the names a user gives. */

import { nearestName } from "../../base/nearest-name.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Tool } from "../../registry/tool.ts";
import { selectTools, UnknownToolset } from "../../registry/toolsets.ts";
import { CommandFailed, UsageError } from "../exit-codes.ts";

/**
 * The tools that `-t` names; all of them without it.
 * @throws {UsageError} When a name is neither a toolset nor a tool.
 */
export function toolsOf(registry: Registry, selection: readonly string[] | undefined): readonly Tool[] {
	try {
		return selectTools(registry, selection);
	} catch (cause) {
		if (cause instanceof UnknownToolset) throw new UsageError(cause.message, { cause });
		throw cause;
	}
}

/**
 * The names of the tools that a run has: those of `toolsets` (all without it) but for those of `disabledToolsets`.
 * @throws {UsageError} When a name is neither a toolset nor a tool.
 */
export function selectedNames(
	registry: Registry,
	{ toolsets, disabledToolsets = [] }: ToolSelection,
): readonly string[] {
	const disabled = new Set(toolsOf(registry, disabledToolsets));
	return toolsOf(registry, toolsets)
		.filter((tool) => !disabled.has(tool))
		.map((tool) => tool.name);
}

/** Names of toolsets or tools, as the user gave them. */
export interface ToolSelection {
	readonly toolsets?: readonly string[] | undefined;
	readonly disabledToolsets?: readonly string[] | undefined;
}

/**
 * One tool by its name.
 * @throws {CommandFailed} With the nearest name.
 */
export function toolNamed(registry: Registry, name: string): Tool {
	const tool = registry.get(name);
	if (tool !== undefined) return tool;
	const known = registry.list().map((each) => each.name);
	const near = nearestName(name, known);
	const advice = near === undefined ? `the tools are ${known.join(", ")}` : `did you mean "${near}"?`;
	throw new CommandFailed(`Cannot find tool "${name}": no tool has that name; ${advice}`);
}
