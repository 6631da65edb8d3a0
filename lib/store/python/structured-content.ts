/** Content in parts, which the Python hermes stores as JSON behind a mark. */

import { z } from "zod";
import type { JsonValue } from "../../base/conversation.ts";

/** No text begins with it. */
const mark = "\u0000json:";

const part = z.union([z.string(), z.looseObject({ type: z.string().optional(), text: z.string().optional() })]);
const parts = z.union([z.array(part), part]);

/** What `content` says as text, and its parts as they were; undefined when it is text already, or cannot be read. */
export function plainText(content: string): { readonly text: string; readonly parts: JsonValue } | undefined {
	if (!content.startsWith(mark)) return undefined;
	try {
		const value: JsonValue = JSON.parse(content.slice(mark.length));
		const found = parts.parse(value);
		return { text: (Array.isArray(found) ? found : [found]).map(textOf).join("\n"), parts: value };
	} catch {
		return undefined;
	}
}

function textOf(found: z.infer<typeof part>): string {
	if (typeof found === "string") return found;
	if (found.text !== undefined) return found.text;
	return /image/.test(found.type ?? "") ? "[image]" : `[${found.type ?? "data"}]`;
}
