/** Schemas for OpenAI's strict mode: every property required, nothing else allowed, optional ones nullable. */

import type { JsonSchema } from "../json-schema.ts";
import { isNode, mapChildren, type Node } from "./nodes.ts";

/** Refused by strict mode. */
const unknown = new Set([
	...["allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"],
	...["propertyNames", "contains", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems"],
	...["uniqueItems", "minProperties", "maxProperties", "minLength", "maxLength", "default", "examples", "nullable"],
	"prefixItems",
]);
/** Strict mode takes these formats. */
const formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/**
 * A copy of a clean schema that strict mode takes; undefined when it says something that strict mode cannot (a map with
 * free keys, a tuple, conditions): such a tool is sent without strict mode. A model then writes null for what it leaves
 * out, which coercion takes away again.
 */
export function openaiStrictSchema(schema: JsonSchema): JsonSchema | undefined {
	return isExpressible(schema, true) ? convert(schema) : undefined;
}

function isExpressible(child: unknown, isTop = false): boolean {
	if (!isNode(child)) return child === undefined;
	const freeKeys = child.additionalProperties === true || isNode(child.additionalProperties);
	const isBareObject =
		child.type === "object" && Object.keys(isNode(child.properties) ? child.properties : {}).length === 0;
	const conditions = ["allOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas"];
	const isAnything = Object.keys(child).every((keyword) =>
		["title", "description", "default", "examples"].includes(keyword),
	);
	if (freeKeys || isAnything || conditions.some((keyword) => child[keyword] !== undefined)) return false;
	if (child.type === "array" && !isNode(child.items)) return false;
	// An empty object is fine at the top, where it means no arguments; inside it means any keys.
	if (isBareObject && child.additionalProperties !== false && !isTop) return false;
	let expressible = true;
	mapChildren(child, (part) => {
		expressible &&= isNode(part) && isExpressible(part);
		return part;
	});
	return expressible;
}

function convert(child: unknown): Node {
	if (!isNode(child)) return {};
	const { oneOf, ...mapped } = mapChildren(child, convert);
	const node = mapped.anyOf === undefined && oneOf !== undefined ? { ...mapped, anyOf: oneOf } : mapped;
	const kept = Object.fromEntries(Object.entries(node).filter(([keyword, value]) => isKept(keyword, value)));
	const strict = kept.type === "object" ? withEveryProperty(kept, child) : kept;
	return child.nullable === true ? withNull(strict) : strict;
}

function isKept(keyword: string, value: unknown): boolean {
	return keyword === "format" ? formats.includes(String(value)) : !unknown.has(keyword);
}

function withEveryProperty(node: Node, original: Node): Node {
	const properties = isNode(node.properties) ? node.properties : {};
	const required = Array.isArray(original.required) ? original.required : [];
	const entries = Object.entries(properties).map(
		([name, part]) => [name, required.includes(name) || !isNode(part) ? part : withNull(part)] as const,
	);
	return {
		...node,
		properties: Object.fromEntries(entries),
		required: entries.map(([name]) => name),
		additionalProperties: false,
	};
}

function withNull(node: Node): Node {
	const { type, enum: values, description } = node;
	if (typeof type === "string") {
		if (type === "null") return node;
		return { ...node, type: [type, "null"], ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }) };
	}
	if (Array.isArray(type)) return node;
	const { description: _, ...rest } = node;
	const branches = Array.isArray(node.anyOf) ? node.anyOf : [rest];
	return { anyOf: [...branches, { type: "null" }], ...(description !== undefined && { description }) };
}
