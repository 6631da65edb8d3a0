/** Everything that may still change the arguments of a call, and then the check of what came of it. */

import { deepFreeze } from "../../base/freeze.ts";
import { coerceArguments } from "../arguments/coerce.ts";
import { checkArguments, decodeArguments, type ParsedArguments } from "../arguments/parse-arguments.ts";
import type { DispatchOptions } from "../dispatch.ts";
import { isNode } from "../schema/nodes.ts";
import type { Tool } from "../tool.ts";
import { identity } from "./call-hooks.ts";

/** Rewriters in the order in which they run: the program's own, then those of plug-ins. */
const rewriters = ["tool_request", "rewrite_tool_call"] as const;

/**
 * Decodes, mends, lets rewriters at it, mends again and checks. What comes out is frozen: nothing after this changes it,
 * so what the user agrees to is what runs.
 */
export async function prepareArguments(options: DispatchOptions, tool: Tool): Promise<ParsedArguments> {
	const { registry, call, log } = options;
	const decoded = decodeArguments(tool.name, call.arguments);
	if (!decoded.ok) return decoded;
	const schema = registry.parameters(tool);
	const mend = (args: Readonly<Record<string, unknown>>) => {
		const { args: mended, warnings } = coerceArguments(args, schema);
		for (const warning of warnings) log?.warning(`arguments of ${tool.name}: ${warning}`);
		return mended;
	};
	const mended = mend(decoded.args);
	const rewritten = await rewrite(options, tool, mended);
	const checked = checkArguments(tool, rewritten === mended ? mended : mend(rewritten), schema);
	return checked.ok ? { ok: true, args: deepFreeze(checked.args) } : checked;
}

/** Each rewriter gets its own copy, and the arguments as they were before the first one. */
async function rewrite(
	options: DispatchOptions,
	tool: Tool,
	original: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
	let args = original;
	for (const name of rewriters) {
		if (options.hooks?.has(name) !== true) continue;
		const payload = () => ({
			...identity(options, tool),
			original_args: structuredClone(original),
			args: structuredClone(args),
		});
		for await (const returned of options.hooks.fire(name, payload)) {
			if (isNode(returned) && isNode(returned.args)) args = returned.args;
		}
	}
	return args;
}
