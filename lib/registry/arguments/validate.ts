/** Whether a value is what a JSON Schema says (draft 2020-12, and the older words that servers still use). */

import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "../json-schema.ts";
import { isNode, type Node, resolvePointer } from "../schema/nodes.ts";
import { isLargeInteger } from "./read-json.ts";

/** One thing that is wrong; `path` is empty for the value itself. */
export interface Problem {
	readonly path: readonly (string | number)[];
	readonly text: string;
}

/**
 * Where references lead, and how much work is left. A schema of a stranger may lead in circles that double with every
 * turn; when the steps are used up, and below a certain depth, everything counts as right: whoever runs the tool has the
 * last word.
 */
export interface Scope {
	readonly root: JsonSchema;
	stepsLeft: number;
}

const deepest = 60;

/** The scope of one call. */
export function scopeOf(root: JsonSchema): Scope {
	return { root, stepsLeft: 200_000 };
}

/**
 * Everything that is wrong with `value`, outermost first; empty when it is right. Patterns are not tried: they come from
 * strangers, and one of them can take for ever.
 */
export function problemsOf(value: unknown, schema: unknown, scope: Scope): readonly Problem[] {
	return check(value, schema, { scope, depth: 0, path: [] });
}

/** Whether `value` is right. */
export function isValid(value: unknown, schema: unknown, scope: Scope): boolean {
	return problemsOf(value, schema, scope).length === 0;
}

/** Whether `value` is of the JSON type `type`. Whole numbers too large for a number are texts of their digits. */
export function isOfType(value: unknown, type: unknown): boolean {
	switch (type) {
		case "null":
			return value === null;
		case "array":
			return Array.isArray(value);
		case "object":
			return isNode(value);
		case "integer":
			return Number.isInteger(value) || isLargeInteger(value);
		case "number":
			return typeof value === "number" || isLargeInteger(value);
		case "string":
		case "boolean":
			return typeof value === type;
		default:
			return true;
	}
}

/** The types that `schema` names; empty when it names none. */
export function typesOf(schema: Node): readonly unknown[] {
	const named = Array.isArray(schema.type) ? schema.type : [schema.type].filter((type) => type !== undefined);
	return schema.nullable === true && named.length > 0 ? [...named, "null"] : named;
}

interface Place {
	readonly scope: Scope;
	readonly depth: number;
	readonly path: readonly (string | number)[];
}

type Check = (value: unknown, schema: Node, place: Place) => readonly Problem[];

function check(value: unknown, schema: unknown, place: Place): readonly Problem[] {
	if (schema === false) return [{ path: place.path, text: "nothing is allowed here" }];
	if (!isNode(schema) || place.depth > deepest || place.scope.stepsLeft-- <= 0) return [];
	const inner = { ...place, depth: place.depth + 1 };
	const wrongType = checkType(value, schema, inner);
	return wrongType.length > 0 ? wrongType : checks.flatMap((each) => each(value, schema, inner));
}

const checkType: Check = (value, schema, { path }) => {
	const types = typesOf(schema);
	if (types.length === 0 || types.some((type) => isOfType(value, type))) return [];
	return [{ path, text: `expected ${types.join(" or ")}, got ${kindOf(value)}` }];
};

const checkReference: Check = (value, schema, place) =>
	schema.$ref === undefined ? [] : check(value, resolvePointer(place.scope.root, schema.$ref) ?? {}, place);

const checkValues: Check = (value, { enum: values, const: only, ...schema }, { path }) => {
	const allowed = only === undefined ? values : [only];
	if (!Array.isArray(allowed) || allowed.some((each) => isDeepStrictEqual(each, value))) return [];
	if (value === null && schema.nullable === true) return [];
	return [{ path, text: `expected one of ${allowed.map((each) => JSON.stringify(each)).join("|")}` }];
};

const checkNumber: Check = (value, schema, { path }) => {
	if (typeof value !== "number") return [];
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
	const least = exclusiveMinimum === true ? minimum : exclusiveMinimum;
	const most = exclusiveMaximum === true ? maximum : exclusiveMaximum;
	const rules: readonly (string | false)[] = [
		typeof minimum === "number" && value < minimum && `must be at least ${minimum}`,
		typeof maximum === "number" && value > maximum && `must be at most ${maximum}`,
		typeof least === "number" && value <= least && `must be more than ${least}`,
		typeof most === "number" && value >= most && `must be less than ${most}`,
		typeof multipleOf === "number" &&
			multipleOf > 0 &&
			!isMultiple(value, multipleOf) &&
			`must be a multiple of ${multipleOf}`,
	];
	return said(rules, path);
};

const checkText: Check = (value, { minLength, maxLength }, { path }) => {
	if (typeof value !== "string") return [];
	const length = typeof minLength === "number" || typeof maxLength === "number" ? [...value].length : 0;
	return said(
		[
			typeof minLength === "number" && length < minLength && `must have at least ${minLength} characters`,
			typeof maxLength === "number" && length > maxLength && `must have at most ${maxLength} characters`,
		],
		path,
	);
};

const checkArray: Check = (value, schema, place) => {
	if (!Array.isArray(value)) return [];
	const { minItems, maxItems, uniqueItems, contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
	const found = contains === undefined ? 0 : value.filter((item) => check(item, contains, place).length === 0).length;
	const rules = [
		typeof minItems === "number" && value.length < minItems && `must have at least ${minItems} items`,
		typeof maxItems === "number" && value.length > maxItems && `must have at most ${maxItems} items`,
		uniqueItems === true && hasRepeated(value) && "must not hold the same item twice",
		contains !== undefined && found < Number(minContains) && "lacks an item that must be in it",
		contains !== undefined && found > Number(maxContains) && "holds too many items of one kind",
	];
	const items = value.flatMap((item, index) => check(item, itemSchema(schema, index), at(place, index)));
	return [...said(rules, place.path), ...items];
};

const checkObject: Check = (value, schema, place) => {
	if (!isNode(value)) return [];
	const names = Object.keys(value);
	const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
	const missing = required
		.filter((name) => !Object.hasOwn(value, name))
		.map((name) => ({ path: [...place.path, name], text: `missing${expectation(propertySchema(schema, name))}` }));
	const { minProperties, maxProperties, propertyNames } = schema;
	const rules = [
		typeof minProperties === "number" && names.length < minProperties && `must have at least ${minProperties} entries`,
		typeof maxProperties === "number" && names.length > maxProperties && `must have at most ${maxProperties} entries`,
	];
	const wrongNames = names.flatMap((name) => check(name, propertyNames, at(place, name)));
	const inside = names.flatMap((name) => checkProperty(value[name], name, { schema, place }));
	return [...missing, ...said(rules, place.path), ...wrongNames, ...inside, ...checkDependents(value, schema, place)];
};

function checkProperty(
	value: unknown,
	name: string,
	{ schema, place }: { schema: Node; place: Place },
): readonly Problem[] {
	const own = propertySchema(schema, name);
	if (own !== undefined) return check(value, own, at(place, name));
	// Without trying patterns nobody knows whether the name has a schema of its own.
	if (schema.patternProperties !== undefined) return [];
	if (schema.additionalProperties === false)
		return [{ path: [...place.path, name], text: "not an argument of this tool" }];
	return check(value, schema.additionalProperties, at(place, name));
}

function checkDependents(value: Node, schema: Node, place: Place): readonly Problem[] {
	const required = Object.entries(isNode(schema.dependentRequired) ? schema.dependentRequired : {});
	const schemas = Object.entries(isNode(schema.dependentSchemas) ? schema.dependentSchemas : {});
	const present = (name: string) => Object.hasOwn(value, name);
	const missing = required
		.filter(([name]) => present(name))
		.flatMap(([name, needed]) => (Array.isArray(needed) ? needed.map((each) => [name, String(each)] as const) : []))
		.filter(([, needed]) => !present(needed))
		.map(([name, needed]) => ({ path: [...place.path, needed], text: `missing, needed beside ${name}` }));
	return [...missing, ...schemas.filter(([name]) => present(name)).flatMap(([, each]) => check(value, each, place))];
}

const checkCombined: Check = (value, schema, place) => {
	const passes = (branch: unknown) => check(value, branch, place).length === 0;
	const list = (keyword: string): readonly unknown[] => {
		const branches = schema[keyword];
		return Array.isArray(branches) ? branches : [];
	};
	const [all, any, one] = [list("allOf"), list("anyOf"), list("oneOf")];
	const isNull = value === null && schema.nullable === true;
	const conditional = schema.if === undefined ? undefined : schema[passes(schema.if) ? "then" : "else"];
	const rules = [
		any.length > 0 && !isNull && !any.some(passes) && `fits none of ${any.length} forms${listed(any)}`,
		one.length > 0 &&
			!isNull &&
			one.filter(passes).length !== 1 &&
			`fits not exactly one of ${one.length} forms${listed(one)}`,
		schema.not !== undefined && passes(schema.not) && "is of a form that is not allowed",
	];
	return [
		...all.flatMap((branch) => check(value, branch, place)),
		...said(rules, place.path),
		...check(value, conditional, place),
	];
};

const checks: readonly Check[] = [
	checkReference,
	checkValues,
	checkNumber,
	checkText,
	checkArray,
	checkObject,
	checkCombined,
];

/** The schema of the item at `index`, in the words of any draft. */
export function itemSchema({ items, prefixItems, additionalItems }: Node, index: number): unknown {
	if (Array.isArray(items)) return index < items.length ? items[index] : additionalItems;
	return Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items;
}

/** The schema that `schema` itself gives the property; undefined when it has none. */
export function propertySchema(schema: Node, name: string): unknown {
	return isNode(schema.properties) && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}

/** `array` and `null` are no types of JavaScript. */
export function kindOf(value: unknown): string {
	if (value === null) return "null";
	return Array.isArray(value) ? "array" : typeof value;
}

function expectation(schema: unknown): string {
	const types = isNode(schema) ? typesOf(schema) : [];
	return types.length === 0 ? "" : `, expected ${types.join(" or ")}`;
}

function listed(branches: readonly unknown[]): string {
	const types = branches.map((branch) => (isNode(branch) ? typesOf(branch).join(" or ") : ""));
	return types.every((type) => type !== "") ? ` (${types.join(", ")})` : "";
}

function said(rules: readonly (string | false)[], path: Problem["path"]): Problem[] {
	return rules.flatMap((text) => (text === false ? [] : [{ path, text }]));
}

function at(place: Place, part: string | number): Place {
	return { ...place, path: [...place.path, part] };
}

function isMultiple(value: number, divisor: number): boolean {
	const quotient = value / divisor;
	// 0.3 / 0.1 is not quite 3.
	return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function hasRepeated(items: readonly unknown[]): boolean {
	return items.some((item, index) => items.slice(0, index).some((other) => isDeepStrictEqual(item, other)));
}
