/** Schemas as Gemini takes them: a small part of OpenAPI 3, without references. */

import type { JsonSchema } from "../json-schema.ts";
import { isNode, mapChildren, type Node, resolvePointer } from "./nodes.ts";

const known = new Set([
	...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties"],
	...["required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "anyOf", "propertyOrdering"],
	...["minimum", "maximum"],
]);
const formats: Readonly<Record<string, readonly string[]>> = {
	string: ["enum", "date-time"],
	number: ["float", "double"],
	integer: ["int32", "int64"],
};

interface Place {
	readonly root: JsonSchema;
	/** References that are being opened: a circle ends as a plain object. */
	readonly opened: readonly string[];
}

/** A copy of a clean schema with only what Gemini knows. */
export function geminiSchema(schema: JsonSchema): JsonSchema {
	return convert(schema, { root: schema, opened: [] });
}

function convert(child: unknown, place: Place): Node {
	if (!isNode(child)) return {};
	const opened = open(child, place);
	if (opened === undefined) return { type: "object" };
	const { node, place: below } = opened;
	const merged = mergeAll(node);
	const mapped = mapChildren(merged, (part) => convert(part, below));
	const converted = withItems(withStringEnum(withAnyOf(mapped)));
	const kept = Object.entries(converted).filter(
		([keyword, value]) => known.has(keyword) && !isOdd(keyword, value, converted),
	);
	return Object.fromEntries(kept);
}

function open(node: Node, place: Place): { node: Node; place: Place } | undefined {
	if (typeof node.$ref !== "string") return { node, place };
	if (place.opened.includes(node.$ref)) return undefined;
	const target = resolvePointer(place.root, node.$ref);
	if (!isNode(target)) return undefined;
	const { $ref, ...rest } = node;
	return open({ ...target, ...rest }, { ...place, opened: [...place.opened, $ref as string] });
}

/** `allOf` is unknown: its parts are laid over each other. */
function mergeAll({ allOf, ...node }: Node): Node {
	if (!Array.isArray(allOf)) return node;
	const parts = [node, ...allOf.filter(isNode)];
	const properties = parts.flatMap((part) => (isNode(part.properties) ? [part.properties] : []));
	const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
	return Object.assign(
		{},
		...parts,
		properties.length > 0 && { properties: Object.assign({}, ...properties) },
		required.length > 0 && { required: [...new Set(required)] },
	);
}

/** One of several is any of them here; beside a choice nothing else may stand. */
function withAnyOf(node: Node): Node {
	const branches = node.anyOf ?? node.oneOf;
	if (!Array.isArray(branches) || branches.length === 0) return node;
	const { description, nullable } = node;
	return { anyOf: branches, ...(description !== undefined && { description }), ...(nullable === true && { nullable }) };
}

/** Only texts can be enumerated; other values go into the description. */
function withStringEnum(node: Node): Node {
	const values = node.const === undefined ? node.enum : [node.const];
	if (!Array.isArray(values)) return node;
	const { enum: _, const: __, ...rest } = node;
	if (values.every((value) => typeof value === "string")) return { ...rest, type: "string", enum: values };
	const listed = `One of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
	return { ...rest, description: typeof node.description === "string" ? `${node.description}. ${listed}` : listed };
}

/** A list must say what it holds; of a tuple the parts become a choice. */
function withItems(node: Node): Node {
	if (node.type !== "array" || (isNode(node.items) && Object.keys(node.items).length > 0)) return node;
	const parts = Array.isArray(node.items) ? node.items : node.prefixItems;
	if (!Array.isArray(parts) || parts.length === 0) return { ...node, items: { type: "string" } };
	return { ...node, items: parts.length === 1 ? parts[0] : { anyOf: parts } };
}

function isOdd(keyword: string, value: unknown, { type }: Node): boolean {
	if (keyword === "format") return !formats[String(type)]?.includes(String(value));
	// An empty map of properties is refused.
	return keyword === "properties" && isNode(value) && Object.keys(value).length === 0;
}
