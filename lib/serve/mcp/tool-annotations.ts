/** What a client may tell its user about a tool before it is called. Hints only: consent is asked for by what a call does. */

import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type { Tool } from "../../registry/tool.ts";

/** Toolsets whose tools reach whatever the machine or the network reaches. */
const openToolsets: ReadonlySet<string> = new Set(["terminal", "code_execution", "web", "browser", "messaging"]);

/** The hints of one tool; a tool that is not known to change nothing counts as one that may destroy something. */
export function annotationsOf({
	name,
	toolset,
	readOnly = false,
}: Pick<Tool, "name" | "toolset" | "readOnly">): ToolAnnotations {
	return {
		title: titleOf(name),
		readOnlyHint: readOnly,
		...(!readOnly && { destructiveHint: true, idempotentHint: false }),
		openWorldHint: openToolsets.has(toolset),
	};
}

function titleOf(name: string): string {
	const words = name.replaceAll("_", " ");
	return words.charAt(0).toUpperCase() + words.slice(1);
}
