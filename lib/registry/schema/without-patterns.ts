/** What llama.cpp's grammar needs, after it has refused a request: schemas without patterns and formats. */

import type { JsonSchema } from "../json-schema.ts";
import { isNode, mapChildren, type Node } from "./nodes.ts";

/** A copy without the keywords `pattern` and `format`, and how many were taken; properties of those names stay. */
export function withoutPatterns(schema: JsonSchema): { readonly schema: JsonSchema; readonly removed: number } {
	let removed = 0;
	const strip = (child: unknown): unknown => {
		if (!isNode(child)) return child;
		const kept: Node = {};
		for (const [keyword, value] of Object.entries(mapChildren(child, strip))) {
			if ((keyword === "pattern" || keyword === "format") && typeof value === "string") removed++;
			else kept[keyword] = value;
		}
		return kept;
	};
	const stripped = strip(schema);
	return { schema: isNode(stripped) ? stripped : schema, removed };
}
