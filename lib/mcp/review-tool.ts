/** What a stranger says of a tool, judged before a model reads it: schemas that cannot be used, texts that give orders. */

import { attempt } from "../base/attempt.ts";
import type { JsonSchema } from "../registry/json-schema.ts";
import { findThreats, type Threat } from "../security/threats/find-threats.ts";
import { mendSchema } from "./mend-schema.ts";
import type { ListedTool } from "./wire.ts";

/** A tool as the model may see it, with what was found; or why it may not. */
export type ReviewedTool =
	| {
			readonly ok: true;
			readonly description: string;
			readonly parameters: JsonSchema;
			readonly warnings: readonly string[];
	  }
	| { readonly ok: false; readonly reason: string };

/** Keywords whose texts are for the reader of a schema and can be left out. */
const prose: ReadonlySet<string> = new Set(["description", "title", "$comment", "examples", "markdownDescription"]);
const longestDescription = 20_000;

/** Texts that give orders are left out, and the tool stays; one that needs such a text to be called is left out itself. */
export function reviewTool(server: string, { name, title, description, inputSchema }: ListedTool): ReviewedTool {
	const schema = attempt(() => mendSchema(inputSchema));
	if (!schema.ok) return { ok: false, reason: `its schema cannot be used: ${schema.reason}` };
	const said = description || title || "";
	const inDescription = findThreats(said, "all");
	const inSchema = threatsIn(schema.value);
	const parameters = inSchema.length === 0 ? schema.value : withoutProse(schema.value);
	// A model reads `do_not_tell_the_user` as words.
	const left = [
		...findThreats(name, "all"),
		...findThreats(name.replace(/[_.-]+/g, " "), "all"),
		...threatsIn(parameters),
	];
	if (left.length > 0) return { ok: false, reason: `its names and values do not look harmless: ${wordsFor(left)}` };
	const neutral = `MCP tool ${name} from ${server}`;
	const shown = said === "" ? neutral : said.slice(0, longestDescription);
	return {
		ok: true,
		description:
			inDescription.length === 0 ? shown : `${neutral}. Its description was left out: ${wordsFor(inDescription)}.`,
		parameters,
		warnings: [
			...(inDescription.length === 0 ? [] : [`its description was left out: ${wordsFor(inDescription)}`]),
			...(inSchema.length === 0 ? [] : [`the descriptions of its arguments were left out: ${wordsFor(inSchema)}`]),
		],
	};
}

function wordsFor(threats: readonly Threat[]): string {
	return [...new Set(threats.map(({ what }) => what))].join("; ");
}

function threatsIn(schema: JsonSchema): Threat[] {
	const texts: string[] = [];
	collect(schema, texts);
	return findThreats(texts.join("\n"), "all");
}

function collect(value: unknown, into: string[]): void {
	if (typeof value === "string") into.push(value);
	else if (Array.isArray(value)) for (const item of value) collect(item, into);
	else if (typeof value === "object" && value !== null) {
		for (const [key, item] of Object.entries(value)) {
			into.push(key);
			collect(item, into);
		}
	}
}

/** `isNames`: the keys of this level are names of arguments, not keywords. */
function withoutProse(schema: JsonSchema): JsonSchema {
	return Object.fromEntries(stripped(schema, false));
}

function stripped(node: object, isNames: boolean): [string, unknown][] {
	return Object.entries(node)
		.filter(([key]) => isNames || !prose.has(key))
		.map(([key, value]) => [key, strippedValue(value, !isNames && namesAreKeys.has(key))]);
}

const namesAreKeys: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

function strippedValue(value: unknown, isNames: boolean): unknown {
	if (Array.isArray(value)) return value.map((item) => strippedValue(item, false));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(stripped(value, isNames));
}
