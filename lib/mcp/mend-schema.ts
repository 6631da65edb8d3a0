/** Schemas of strangers as strict endpoints take them: everything has a type, lists say what they hold, nothing points elsewhere. */

import type { JsonSchema } from "../registry/json-schema.ts";
import { isNode, mapChildren, type Node, resolvePointer, SchemaUnusable } from "../registry/schema/nodes.ts";
import { sanitizeSchema } from "../registry/schema/sanitize.ts";

/** Parts of a schema after references were replaced; one that would have more keeps its references. */
const mostParts = 5_000;

/** Levels of a schema; nobody writes so many, and what walks through it goes down as deep as it does. */
const mostLevels = 200;

/**
 * A clean copy of what a server wrote.
 * @throws {SchemaUnusable} When it is no schema of arguments, or its references lead nowhere.
 */
export function mendSchema(written: unknown): JsonSchema {
	if (isDeeperThan(mostLevels, written)) throw new SchemaUnusable("it is nested too deeply");
	const clean = sanitizeSchema(written);
	const count = { parts: 0 };
	const opened = withoutReferences(clean, { root: clean, open: [], count });
	const isSmall = count.parts <= mostParts;
	const { $defs: _, definitions: __, ...rest } = isSmall ? opened : clean;
	const mended = mapChildren(isSmall ? rest : clean, typed);
	return { ...mended, type: "object", properties: isNode(mended.properties) ? mended.properties : {} };
}

/** A level at a time, and no call within a call: there may be more levels than calls can be nested. */
function isDeeperThan(most: number, value: unknown): boolean {
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > most) return true;
		level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
	}
	return false;
}

interface Place {
	readonly root: JsonSchema;
	/** References around this part: a circle ends as a plain object. */
	readonly open: readonly string[];
	readonly count: { parts: number };
}

function withoutReferences(node: Node, place: Place): Node {
	if (++place.count.parts > mostParts) return node;
	const { $ref, ...rest } = node;
	if (typeof $ref !== "string") {
		return mapChildren(node, (child) => (isNode(child) ? withoutReferences(child, place) : child));
	}
	const target = resolvePointer(place.root, $ref);
	if (place.open.includes($ref) || !isNode(target)) return { type: "object", properties: {}, ...rest };
	return withoutReferences({ ...target, ...rest }, { ...place, open: [...place.open, $ref] });
}

/** Any value of JSON, in words that every endpoint knows. */
const anyValue = [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "object", properties: {} }];

function typed(child: unknown): unknown {
	if (!isNode(child)) return child;
	// Servers check names themselves.
	const { propertyNames: _, ...node } = mapChildren(child, typed);
	return withItems(withType(node));
}

function withType(node: Node): Node {
	if (Array.isArray(node.enum)) return ofValues(node, node.enum);
	if (node.type !== undefined || "$ref" in node) return node;
	if (node.const !== undefined) return ofValues(node, [node.const]);
	if (["anyOf", "oneOf", "allOf", "not", "if"].some((keyword) => keyword in node)) return node;
	if ("properties" in node || "additionalProperties" in node) return { type: "object", properties: {}, ...node };
	if ("items" in node || "prefixItems" in node) return { type: "array", ...node };
	return { ...node, anyOf: [...anyValue, { type: "array", items: { anyOf: anyValue } }] };
}

/** The type is that of the values; `null` among others is said by `nullable`. */
function ofValues(node: Node, values: readonly unknown[]): Node {
	const others = values.filter((value) => value !== null);
	const types = [...new Set(others.map((value) => typeof value))];
	const [type] = types;
	const isNullable = others.length < values.length && others.length > 0;
	if (types.length !== 1 || (type !== "string" && type !== "number" && type !== "boolean")) return node;
	if (node.type !== undefined && node.type !== "null") return node;
	const kept = node.enum === undefined ? {} : { enum: others };
	return { ...node, type, ...kept, ...(isNullable && { nullable: true }) };
}

function withItems(node: Node): Node {
	const holds = node.items ?? node.prefixItems;
	return node.type === "array" && holds === undefined ? { ...node, items: { anyOf: anyValue } } : node;
}
