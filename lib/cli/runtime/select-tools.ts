/** One tool by the name a user gives. */

import { nearestName } from "../../base/nearest-name.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Tool } from "../../registry/tool.ts";
import { CommandFailed } from "../exit-codes.ts";

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
