/** Schemas as Anthropic takes them: draft 2020-12, with names of properties of one shape. */

import type { JsonSchema } from "../json-schema.ts";
import { isNode, mapChildren, type Node, SchemaUnusable } from "./nodes.ts";

const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * A copy of a clean schema in the words of draft 2020-12.
 * @throws {SchemaUnusable} When a property has a name that is refused: another name would not reach the tool.
 */
export function anthropicSchema(schema: JsonSchema): JsonSchema {
	return convert(schema);
}

function convert(child: unknown): Node {
	if (!isNode(child)) return {};
	for (const name of Object.keys(isNode(child.properties) ? child.properties : {})) {
		if (!propertyName.test(name))
			throw new SchemaUnusable(`the property ${JSON.stringify(name)} has a name that is refused`);
	}
	return withNewBounds(withNewTuples(withNullType(withNewDefinitions(mapChildren(child, convert)))));
}

/** `nullable` is OpenAPI's word; here null is a type. */
function withNullType({ nullable, ...node }: Node): Node {
	if (nullable !== true) return node;
	if (typeof node.type === "string") {
		const values = Array.isArray(node.enum) ? { enum: [...new Set([...node.enum, null])] } : {};
		return { ...node, ...values, type: [node.type, "null"] };
	}
	return Array.isArray(node.anyOf) ? { ...node, anyOf: [...node.anyOf, { type: "null" }] } : node;
}

function withNewDefinitions({ definitions, ...node }: Node): Node {
	const $ref = typeof node.$ref === "string" ? { $ref: node.$ref.replace(/^#\/definitions\//, "#/$defs/") } : {};
	const $defs = isNode(definitions) ? { $defs: { ...definitions, ...(isNode(node.$defs) && node.$defs) } } : {};
	return { ...node, ...$ref, ...$defs };
}

function withNewTuples(node: Node): Node {
	if (!Array.isArray(node.items)) return node;
	const { items, additionalItems, ...rest } = node;
	return { ...rest, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** Draft 4 wrote `exclusiveMinimum: true` beside the bound. */
function withNewBounds(node: Node): Node {
	const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = node;
	return { ...rest, ...bound("Minimum", minimum, exclusiveMinimum), ...bound("Maximum", maximum, exclusiveMaximum) };
}

function bound(which: "Minimum" | "Maximum", limit: unknown, exclusive: unknown): Node {
	const [inclusiveWord, exclusiveWord] = [which.toLowerCase(), `exclusive${which}`];
	if (exclusive === true) return limit === undefined ? {} : { [exclusiveWord]: limit };
	return {
		...(limit !== undefined && { [inclusiveWord]: limit }),
		...(typeof exclusive === "number" && { [exclusiveWord]: exclusive }),
	};
}
