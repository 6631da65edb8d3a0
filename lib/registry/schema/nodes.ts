/** Walking a JSON Schema: which parts of a node are schemas themselves. */

/** A schema, or a part of one, that may be changed. */
export type Node = Record<string, unknown>;

/** What stands behind a keyword: a schema, a list of them, or schemas by their names. */
const kinds: ReadonlyMap<string, "single" | "list" | "named"> = new Map([
	...each("single", ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]),
	...each("list", ["anyOf", "oneOf", "allOf", "prefixItems"]),
	...each("named", ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]),
]);

function each<Kind extends string>(kind: Kind, keywords: readonly string[]): (readonly [string, Kind])[] {
	return keywords.map((keyword) => [keyword, kind] as const);
}

/** A schema that no provider can be shown; only its tool is left out. */
export class SchemaUnusable extends Error {
	override readonly name = "SchemaUnusable";
}

/** Whether `value` is an object that is no list. */
export function isNode(value: unknown): value is Node {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A copy of `node` in which every schema directly below it went through `change`. Names of properties are never taken for
 * keywords: a property called `pattern` stays what it is.
 */
export function mapChildren(node: Node, change: (child: unknown) => unknown): Node {
	// Most nodes have no schema below them: they are copied at once.
	const copy = { ...node };
	for (const keyword of Object.keys(node)) {
		if (kinds.has(keyword)) copy[keyword] = changed(keyword, node[keyword], change);
	}
	return copy;
}

function changed(keyword: string, value: unknown, change: (child: unknown) => unknown): unknown {
	const kind = kinds.get(keyword);
	// Older drafts write a tuple as a list under `items`.
	if (kind === "list" || (keyword === "items" && Array.isArray(value))) {
		return Array.isArray(value) ? value.map(change) : value;
	}
	if (kind === "single") return typeof value === "boolean" ? value : change(value);
	if (!isNode(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, change(child)] as const));
}

/** The schema that `pointer` (`#/$defs/item`) means inside `root`; undefined when there is none. */
export function resolvePointer(root: unknown, pointer: unknown): unknown {
	if (typeof pointer !== "string" || !pointer.startsWith("#")) return undefined;
	const parts = pointer.slice(1).split("/").slice(1).map(unescapePart);
	return parts.reduce<unknown>((at, part) => (isContainer(at) && Object.hasOwn(at, part) ? at[part] : undefined), root);
}

function isContainer(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

function unescapePart(part: string): string {
	return decodeSafely(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decodeSafely(part: string): string {
	return /%(?![0-9a-f]{2})/i.test(part) || !/%/.test(part) ? part : decodeURIComponent(part);
}
