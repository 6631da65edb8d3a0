/** Mending of arguments: the cases, and laws that hold for any value and any schema. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { coerceArguments } from "../../lib/registry/arguments/coerce.ts";
import { readJson } from "../../lib/registry/arguments/read-json.ts";
import { isValid, problemsOf, scopeOf } from "../../lib/registry/arguments/validate.ts";
import { schemaKinds } from "../fixtures/json-schema/kinds.ts";
import { processorMs } from "../support/processor-time.ts";

const schemaOf = (a: unknown, more = {}) => ({ type: "object", properties: { a }, ...more });

/** What the value `a` becomes under `schema`. */
function coerced(a: unknown, schema: unknown, more = {}) {
	const { args, warnings } = coerceArguments({ a }, schemaOf(schema, more));
	return warnings.length === 0 ? args.a : [args.a, ...warnings];
}

const integer = { type: "integer" };
const texts = { type: "array", items: { type: "string" } };

describe("coerceArguments()", () => {
	test.each<[unknown, unknown, unknown]>([
		["42", integer, 42],
		[" -7 ", integer, -7],
		["5.0", integer, 5],
		["5.5", integer, "5.5"],
		["1_000", integer, "1_000"],
		["0x10", integer, "0x10"],
		["", integer, ""],
		["1e3", integer, "1e3"],
		["3.5", { type: "number" }, 3.5],
		["1e3", { type: "number" }, 1000],
		["1e999", { type: "number" }, "1e999"],
		["inf", { type: "number" }, "inf"],
		["NaN", { type: "number" }, "NaN"],
		["True", { type: "boolean" }, true],
		[" false ", { type: "boolean" }, false],
		["1", { type: "boolean" }, "1"],
		[1, { type: "boolean" }, 1],
		["null", { type: "integer", nullable: true }, null],
		["null", { type: ["integer", "null"] }, null],
		["null", { anyOf: [{ type: "integer" }, { type: "null" }] }, null],
		["null", integer, "null"],
		["null", { type: ["string", "null"] }, "null"],
		["null", { ...texts, nullable: true }, null],
		["https://a.com", texts, ["https://a.com"]],
		['["a","b"]', texts, ["a", "b"]],
		[5, { type: "array", items: integer }, [5]],
		["5", { type: "array", items: integer }, [5]],
		[{ x: 1 }, { type: "array" }, [{ x: 1 }]],
		['{"x":"1"}', { type: "object", properties: { x: integer } }, { x: 1 }],
		["[1]", { type: "object" }, "[1]"],
		["{broken", { type: "object" }, "{broken"],
		["7", { type: ["integer", "boolean"] }, 7],
		["true", { type: ["integer", "boolean"] }, true],
		["3", { oneOf: [{ type: "boolean" }, { type: "integer" }] }, 3],
		["3", { $ref: "#/$defs/n" }, 3],
		["3", { allOf: [{ type: "integer" }, { minimum: 1 }] }, 3],
	])("makes %j under %j to %j", (value, schema, expected) => {
		expect(coerced(value, schema, { $defs: { n: integer } })).toEqual(expected);
	});

	test.each<[string, unknown, unknown]>([
		["a string field never becomes a number", "42", { type: "string" }],
		["a string field never becomes a boolean, null, list or object", "null", { type: "string" }],
		["a value that fits one branch stays: 007 is no 7", "007", { type: ["string", "integer"] }],
		["the same in anyOf", "007", { anyOf: [{ type: "integer" }, { type: "string" }] }],
		["text in a list of texts", ["1", "[2]"], texts],
		["what no schema speaks of", "42", undefined],
		["a schema that allows anything", "42", {}],
		["a schema that is none", "42", 7],
	])("leaves alone: %s", (_, value, schema) => {
		expect(coerced(value, schema)).toBe(value);
	});

	test("mends items and properties at any depth, and nothing else", () => {
		const row = { type: "object", properties: { id: integer, on: { type: "boolean" }, name: { type: "string" } } };
		const schema = schemaOf({ type: "array", items: row }, { properties: { rows: { type: "array", items: row } } });
		const sent = { rows: [{ id: "1", on: "TRUE", name: "2", more: "3" }, '{"id":"4"}'], other: "5" };
		expect(coerceArguments(sent, schema).args).toEqual({
			rows: [{ id: 1, on: true, name: "2", more: "3" }, { id: 4 }],
			other: "5",
		});
		expect(sent.rows[0]).toEqual({ id: "1", on: "TRUE", name: "2", more: "3" });
	});

	test("mends the items of a tuple and the values of a map each by their own schema", () => {
		expect(coerced(["1", "true"], { type: "array", prefixItems: [integer, { type: "boolean" }] })).toEqual([1, true]);
		expect(coerced({ x: "1" }, { type: "object", additionalProperties: integer })).toEqual({ x: 1 });
	});

	test("warns of text that begins like a list and is none, and takes it as one item", () => {
		expect(coerced("[draft] notes", texts)).toEqual([
			["[draft] notes"],
			"a begins like a JSON list and is none; it was taken as one item",
		]);
	});

	test("takes null for an argument that may be left out as left out", () => {
		expect(coerceArguments({ a: null, b: 1 }, schemaOf(integer)).args).toEqual({ b: 1 });
		expect(coerceArguments({ a: null }, schemaOf(integer, { required: ["a"] })).args).toEqual({ a: null });
	});

	test("keeps the digits of ids, sent as text or as a bare number", () => {
		const id = "1234567890123456789";
		expect(coerced(id, integer)).toBe(id);
		expect(coerced(id, { type: "number" })).toBe(id);
		const read = readJson(`{"a":${id},"b":[${id}],"c":1.5,"d":-${id}}`);
		expect(read).toEqual({ ok: true, value: { a: id, b: [id], c: 1.5, d: `-${id}` } });
		expect(coerced(id, { type: "string" })).toBe(id);
	});

	test("a property called __proto__ is one like any other", () => {
		const { args } = coerceArguments(JSON.parse('{"__proto__":"1","a":"2"}'), {
			type: "object",
			properties: JSON.parse('{"__proto__":{"type":"integer"},"a":{"type":"integer"}}'),
		});
		expect(Object.entries(args)).toEqual([
			["__proto__", 1],
			["a", 2],
		]);
		expect({}).toEqual({});
	});

	test("survives values and schemas that hold themselves", () => {
		const value: Record<string, unknown> = { n: "1" };
		value.self = value;
		const schema: Record<string, unknown> = { type: "object", properties: { n: integer }, required: ["m"] };
		Object.assign(schema.properties as object, { self: schema });
		expect(coerceArguments({ a: value }, schemaOf(schema)).args).toHaveProperty("a.n", 1);
	});

	test("is done in time with a schema that doubles at every turn", () => {
		const hostile = {
			type: "object",
			properties: { a: { anyOf: [{ $ref: "#" }, { $ref: "#/properties/a" }, { $ref: "#/properties/a" }] } },
		};
		const took = processorMs(() => {
			coerceArguments({ a: "x" }, hostile);
			coerceArguments({ a: { a: { a: "x" } } }, hostile);
		});
		expect(took).toBeLessThan(5_000);
	});
});

describe("laws over every kind of schema", () => {
	test.each(schemaKinds.flatMap(({ kind, schema, valid }) => valid.map((value) => ({ kind, value, schema }))))(
		"$kind: a valid $value stays what it is",
		({ value, schema }) => {
			const whole = schemaOf(schema, { $defs: (schema as { $defs?: unknown })?.$defs });
			expect(isValid({ a: value }, whole, scopeOf(whole))).toBe(true);
			expect(coerceArguments({ a: value }, whole).args.a).toEqual(value as never);
		},
	);

	test.each(schemaKinds.flatMap(({ kind, schema, invalid }) => invalid.map((value) => ({ kind, value, schema }))))(
		"$kind: $value is found to be wrong",
		({ value, schema }) => {
			const whole = schemaOf(schema, { $defs: (schema as { $defs?: unknown })?.$defs });
			expect(problemsOf({ a: value }, whole, scopeOf(whole)).length).toBeGreaterThan(0);
		},
	);

	const anySchema = fc.constantFrom(...schemaKinds.map(({ schema }) => schema));
	const textOfAnything = fc.anything().map((value) => JSON.stringify(value) ?? "undefined");
	const anyValue = fc.oneof(
		fc.anything({ withBigInt: true, withMap: true, withDate: true }),
		fc.json(),
		textOfAnything,
	);

	test("coercion never throws, whatever the value and the schema", () => {
		fc.assert(
			fc.property(anyValue, fc.oneof(anySchema, fc.anything()), (value, schema) => {
				coerceArguments({ a: value }, schemaOf(schema));
				coerceArguments({ a: value }, fc.stringify(schema).length > 0 ? ((schema ?? {}) as never) : {});
			}),
			{ numRuns: 500 },
		);
	});

	test("coercion twice is coercion once", () => {
		fc.assert(
			fc.property(anyValue, anySchema, (value, schema) => {
				const once = coerceArguments({ a: value }, schemaOf(schema)).args;
				expect(coerceArguments(once, schemaOf(schema)).args).toEqual(once);
			}),
			{ numRuns: 500 },
		);
	});

	test("what is valid stays the very same", () => {
		fc.assert(
			fc.property(anyValue, anySchema, (value, schema) => {
				const args = { a: value };
				const whole = schemaOf(schema);
				if (isValid(args, whole, scopeOf(whole))) expect(coerceArguments(args, whole).args).toBe(args);
			}),
			{ numRuns: 500 },
		);
	});

	test("numbers, lists and objects written as text come back as themselves", () => {
		fc.assert(
			fc.property(fc.maxSafeInteger(), (number) => {
				expect(coerced(String(number), integer)).toBe(number);
			}),
		);
		fc.assert(
			fc.property(fc.array(fc.string()), (list) => {
				expect(coerced(JSON.stringify(list), texts)).toEqual(list);
			}),
		);
		fc.assert(
			fc.property(fc.string(), (text) => {
				expect(coerced(text, { type: "string" })).toBe(text);
			}),
		);
	});
});
