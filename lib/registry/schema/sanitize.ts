/** Makes a schema that every provider takes out of whatever a tool brings. Each repair is one that some backend needs. */

import type { JsonSchema } from "../json-schema.ts";
import { isNode, mapChildren, type Node, resolvePointer, SchemaUnusable } from "./nodes.ts";

/** Schemas nested deeper than this, or longer than this as text, are refused. */
const deepest = 40;
const longest = 100_000;

const typeNames = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** Some backends refuse these at the very top of the arguments. */
const notAtTop = ["allOf", "anyOf", "oneOf", "enum", "not"];
const keptWhenCollapsed = ["title", "description", "default", "examples"];

/**
 * A clean copy of `schema`: always an object with properties.
 * @throws {SchemaUnusable} When it is no schema of arguments at all.
 */
export function sanitizeSchema(schema: unknown): JsonSchema {
	if (!isNode(schema)) return { type: "object", properties: {} };
	refuseUnusable(schema);
	const clean = cleanNode(schema, { depth: 0, root: schema });
	const top = Object.fromEntries(Object.entries(clean).filter(([keyword]) => !notAtTop.includes(keyword)));
	if (top.type !== undefined && top.type !== "object") {
		throw new SchemaUnusable(`arguments are always an object, not ${JSON.stringify(top.type)}`);
	}
	const { nullable: _, ...rest } = top;
	return { ...rest, type: "object", properties: isNode(top.properties) ? top.properties : {} };
}

interface Place {
	readonly depth: number;
	readonly root: Node;
}

function refuseUnusable(schema: Node): void {
	const text = JSON.stringify(schema);
	if (text.length > longest) throw new SchemaUnusable(`the schema has ${text.length} characters`);
	if (schema.properties !== undefined && !isNode(schema.properties)) {
		throw new SchemaUnusable("its properties are not a map");
	}
}

function cleanChild(child: unknown, place: Place): unknown {
	if (typeof child === "string") return typeNames.has(child) ? { type: child } : { type: "object", properties: {} };
	if (child === false) return { not: {} };
	return isNode(child) ? cleanNode(child, place) : {};
}

function cleanNode(node: Node, { depth, root }: Place): Node {
	if (depth > deepest) throw new SchemaUnusable(`the schema is nested more than ${deepest} deep`);
	if (node.$ref !== undefined) return cleanReference(node, root);
	const below = mapChildren(node, (child) => cleanChild(child, { depth: depth + 1, root }));
	const typed = withOneType(below);
	const collapsed = withoutNullBranch(withoutNullBranch(typed, "anyOf"), "oneOf");
	return collapsed.type === "object" ? asObject(collapsed) : collapsed;
}

/** Fireworks refuses a default beside a reference. */
function cleanReference(node: Node, root: Node): Node {
	if (!isNode(resolvePointer(root, node.$ref)))
		throw new SchemaUnusable(`nothing is at its reference ${JSON.stringify(node.$ref)}`);
	const { default: _, ...rest } = node;
	return rest;
}

/** `type: [X, "null"]` is X and nullable; of several other types the first one is kept. */
function withOneType(node: Node): Node {
	if (!Array.isArray(node.type)) {
		if (node.type === undefined || (typeof node.type === "string" && typeNames.has(node.type))) return node;
		throw new SchemaUnusable(`it has the unknown type ${JSON.stringify(node.type)}`);
	}
	const types = node.type.filter((type) => typeof type === "string" && typeNames.has(type));
	const [first = "null"] = types.filter((type) => type !== "null");
	return { ...node, type: first, ...(types.includes("null") && first !== "null" && { nullable: true }) };
}

/** `anyOf: [X, {type: "null"}]` is X and nullable. */
function withoutNullBranch(node: Node, keyword: "anyOf" | "oneOf"): Node {
	const branches = node[keyword];
	if (!Array.isArray(branches)) return node;
	const others = branches.filter((branch) => !(isNode(branch) && branch.type === "null"));
	const [only] = others;
	if (others.length !== 1 || others.length === branches.length || !isNode(only)) return node;
	const kept = Object.fromEntries(Object.entries(node).filter(([name]) => keptWhenCollapsed.includes(name)));
	return { ...only, ...kept, nullable: true };
}

function asObject(node: Node): Node {
	const properties = isNode(node.properties) ? node.properties : {};
	const { required, ...rest } = node;
	const known = Array.isArray(required)
		? [...new Set(required)].filter((name) => typeof name === "string" && Object.hasOwn(properties, name))
		: [];
	return { ...rest, properties, ...(known.length > 0 && { required: known }) };
}
