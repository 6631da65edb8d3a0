/** Mends the types of what a model sent: numbers and lists written as text, a single value where a list belongs. */

import type { JsonSchema } from "../json-schema.ts";
import { isNode, type Node, resolvePointer } from "../schema/nodes.ts";
import { isLargeInteger, readJson } from "./read-json.ts";
import { isOfType, isValid, itemSchema, propertySchema, type Scope, scopeOf, typesOf } from "./validate.ts";

/** Arguments after mending, and what the log should say about them. */
export interface Coerced {
	readonly args: Readonly<Record<string, unknown>>;
	readonly warnings: readonly string[];
}

/** Beyond this a value stays as it is. */
const deepest = 30;

/**
 * `args` with every value that is wrong for its schema mended where that is safe. What is right already stays untouched,
 * a text where a text belongs never becomes anything else, and digits are never lost. Doing it twice changes nothing.
 */
export function coerceArguments(args: Readonly<Record<string, unknown>>, schema: JsonSchema): Coerced {
	const warnings: string[] = [];
	const coerced = coerce(args, schema, {
		scope: scopeOf(schema),
		depth: 0,
		path: "",
		warn: (text) => void warnings.push(text),
	});
	return { args: isNode(coerced) ? coerced : args, warnings };
}

interface Place {
	readonly scope: Scope;
	readonly depth: number;
	readonly path: string;
	warn(text: string): void;
}

function coerce(value: unknown, schema: unknown, place: Place): unknown {
	if (!isNode(schema) || place.depth > deepest || isValid(value, schema, place.scope)) return value;
	const inner = { ...place, depth: place.depth + 1 };
	const inside = coerceInside(coerceToTypes(value, schema, inner), schema, inner);
	const chosen = coerceToBranch(inside, schema, inner);
	return [...nested(schema, place.scope.root)].reduce((current, part) => coerce(current, part, inner), chosen);
}

/** Schemas that all hold beside `schema` itself. */
function* nested(schema: Node, root: JsonSchema): Generator<unknown> {
	if (schema.$ref !== undefined) yield resolvePointer(root, schema.$ref);
	if (Array.isArray(schema.allOf)) yield* schema.allOf;
}

/** The first branch that mending makes fit; without one the value stays. */
function coerceToBranch(value: unknown, schema: Node, place: Place): unknown {
	const branches = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf;
	if (!Array.isArray(branches) || branches.some((branch) => isValid(value, branch, place.scope))) return value;
	for (const branch of branches) {
		const candidate = coerce(value, branch, place);
		if (isValid(candidate, branch, place.scope)) return candidate;
	}
	return value;
}

/** Mends the value itself; of several types the first that fits. */
function coerceToTypes(value: unknown, schema: Node, place: Place): unknown {
	const types = typesOf(schema);
	if (types.length === 0 || types.some((type) => isOfType(value, type))) return value;
	for (const type of types) {
		const candidate = convert(value, type, { schema, place });
		if (candidate !== undefined) return candidate;
	}
	return value;
}

interface Wanted {
	readonly schema: Node;
	readonly place: Place;
}

/** `value` as `type`, or undefined when that would be guessing. */
function convert(value: unknown, type: unknown, wanted: Wanted): unknown {
	if (type === "array") return toArray(value, wanted);
	if (typeof value !== "string") return undefined;
	switch (type) {
		case "integer":
			return toNumber(value, /^-?\d+(?:\.0+)?$/);
		case "number":
			return toNumber(value, /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i);
		case "boolean":
			return toBoolean(value);
		case "null":
			return value.trim() === "null" ? null : undefined;
		case "object": {
			const read = readJson(value);
			return read.ok && isNode(read.value) ? read.value : undefined;
		}
		default:
			return undefined;
	}
}

/** Only numbers that are exactly what was written: a float would change the last digits of a long id. */
function toNumber(text: string, form: RegExp): number | undefined {
	const trimmed = text.trim();
	if (!form.test(trimmed) || isLargeInteger(trimmed)) return undefined;
	const parsed = Number(trimmed);
	if (!Number.isFinite(parsed)) return undefined;
	const isExact = Number.isSafeInteger(parsed) || !Number.isInteger(parsed) || /e/i.test(trimmed);
	return isExact ? parsed : undefined;
}

function toBoolean(text: string): boolean | undefined {
	const word = text.trim().toLowerCase();
	if (word === "true") return true;
	return word === "false" ? false : undefined;
}

function toArray(value: unknown, { schema, place }: Wanted): readonly unknown[] | undefined {
	if (value === null || value === undefined) return undefined;
	if (typeof value !== "string") return [value];
	if (value.trim() === "null" && typesOf(schema).includes("null")) return undefined;
	const read = readJson(value);
	if (read.ok && Array.isArray(read.value)) return read.value;
	if (value.trimStart().startsWith("[")) {
		place.warn(`${place.path || "the value"} begins like a JSON list and is none; it was taken as one item`);
	}
	return [value];
}

function coerceInside(value: unknown, schema: Node, place: Place): unknown {
	if (Array.isArray(value)) {
		return keep(
			value,
			value.map((item, index) => coerce(item, itemSchema(schema, index), at(place, String(index)))),
		);
	}
	return isNode(value) ? coerceProperties(value, schema, place) : value;
}

function coerceProperties(value: Node, schema: Node, place: Place): Node {
	const required = Array.isArray(schema.required) ? schema.required : [];
	const entries = Object.entries(value).flatMap(([name, part]) => {
		const own = propertySchema(schema, name) ?? schema.additionalProperties;
		const mended = coerce(part, own, at(place, name));
		// Strict mode makes models write null for what they leave out.
		const isLeftOut = mended === null && !required.includes(name) && isNode(own) && !isValid(null, own, place.scope);
		return isLeftOut ? [] : [[name, mended] as const];
	});
	const isSame = entries.length === Object.keys(value).length && entries.every(([name, part]) => value[name] === part);
	return isSame ? value : withEntries(entries);
}

/** A property named `__proto__` is a property like any other. */
function withEntries(entries: readonly (readonly [string, unknown])[]): Node {
	return Object.fromEntries(entries);
}

function keep(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
	return after.every((item, index) => item === before[index]) ? before : after;
}

function at(place: Place, part: string): Place {
	return { ...place, path: place.path === "" ? part : `${place.path}.${part}` };
}
