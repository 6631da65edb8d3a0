/** Schemas as each kind of endpoint takes them. */

import { describe, expect, test } from "bun:test";
import { anthropicSchema } from "../../lib/registry/schema/anthropic.ts";
import { schemaFamilyOf, schemaFor } from "../../lib/registry/schema/family.ts";
import { geminiSchema } from "../../lib/registry/schema/gemini.ts";
import { openaiStrictSchema } from "../../lib/registry/schema/openai-strict.ts";
import { sanitizeSchema } from "../../lib/registry/schema/sanitize.ts";
import { withoutPatterns } from "../../lib/registry/schema/without-patterns.ts";

/** An object with one property `a`. */
const about = (a: unknown, more = {}) => ({ type: "object", properties: { a }, ...more });

describe("sanitizeSchema()", () => {
	test.each<[unknown, unknown]>([
		[undefined, { type: "object", properties: {} }],
		["nonsense", { type: "object", properties: {} }],
		[{}, { type: "object", properties: {} }],
		[about("string"), about({ type: "string" })],
		[about("thing"), about({ type: "object", properties: {} })],
		[about(true), about({})],
		[about({ type: ["string", "null"] }), about({ type: "string", nullable: true })],
		[about({ type: ["null", "integer"] }), about({ type: "integer", nullable: true })],
		[about({ type: ["integer", "string"] }), about({ type: "integer" })],
		[about({ type: "object" }), about({ type: "object", properties: {} })],
		[about({ type: "string" }, { required: ["a", "b", 3] }), about({ type: "string" }, { required: ["a"] })],
		[about({ type: "string" }, { required: ["b"] }), about({ type: "string" })],
		[
			about({ anyOf: [{ type: "string", minLength: 1 }, { type: "null" }], description: "d", default: null }),
			about({ type: "string", minLength: 1, description: "d", default: null, nullable: true }),
		],
		[
			about({ oneOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }),
			about({ oneOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }),
		],
		[about({ type: "string" }, { allOf: [{}], anyOf: [{}], not: {}, enum: [1] }), about({ type: "string" })],
		[
			about({ $ref: "#/$defs/x", default: 1 }, { $defs: { x: { type: "string" } } }),
			about({ $ref: "#/$defs/x" }, { $defs: { x: { type: "string" } } }),
		],
		[
			about({ type: "object", additionalProperties: false, properties: { pattern: "string" } }),
			about({ type: "object", additionalProperties: false, properties: { pattern: { type: "string" } } }),
		],
		[about({ type: "array", items: "integer" }), about({ type: "array", items: { type: "integer" } })],
	])("makes %j to %j", (schema, expected) => {
		const before = JSON.stringify(schema);
		expect(sanitizeSchema(schema)).toEqual(expected as never);
		expect(JSON.stringify(schema)).toBe(before);
	});

	test("is done once", () => {
		const schema = about({ anyOf: [{ type: ["string", "null"] }, { type: "null" }] }, { required: ["a"] });
		expect(sanitizeSchema(sanitizeSchema(schema))).toEqual(sanitizeSchema(schema));
	});
});

describe("withoutPatterns()", () => {
	test("takes patterns and formats and counts them, but no property of that name", () => {
		const schema = about(
			{ type: "string", pattern: "^x", format: "uri" },
			{ properties: { pattern: { type: "string", pattern: "y" }, format: { type: "string" } } },
		);
		expect(withoutPatterns(schema)).toEqual({
			schema: { type: "object", properties: { pattern: { type: "string" }, format: { type: "string" } } },
			removed: 1,
		});
	});
});

describe("geminiSchema()", () => {
	test.each<[unknown, unknown]>([
		[{ type: "string", default: "x", format: "uri", examples: ["y"] }, { type: "string" }],
		[
			{ type: "string", format: "date-time" },
			{ type: "string", format: "date-time" },
		],
		[{ const: "x" }, { type: "string", enum: ["x"] }],
		[
			{ type: "integer", enum: [1, 2], description: "Which" },
			{ type: "integer", description: "Which. One of 1, 2" },
		],
		[{ oneOf: [{ type: "string" }, { type: "integer" }] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
		[{ type: "array" }, { type: "array", items: { type: "string" } }],
		[
			{ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
			{ type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } },
		],
		[{ type: "object", properties: {}, additionalProperties: false }, { type: "object" }],
		[
			{ allOf: [{ type: "object", properties: { x: { type: "string" } } }, { required: ["x"] }] },
			{ type: "object", properties: { x: { type: "string" } }, required: ["x"] },
		],
		[
			{ type: "number", exclusiveMinimum: 0, maximum: 9 },
			{ type: "number", maximum: 9 },
		],
	])("makes %j to %j", (schema, expected) => {
		expect(geminiSchema(about(schema))).toEqual(about(expected) as never);
	});

	test("opens references, and ends a circle", () => {
		const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
		expect(geminiSchema(about({ $ref: "#/$defs/node" }, { $defs: { node } }))).toEqual(
			about({ type: "object", properties: { next: { type: "object" } } }),
		);
	});
});

describe("openaiStrictSchema()", () => {
	test("makes every property required, optional ones nullable, and allows nothing else", () => {
		const schema = about(
			{ type: "string", minLength: 1 },
			{
				required: ["a"],
				properties: {
					a: { type: "string", minLength: 1 },
					b: { type: "integer", default: 3 },
					c: { type: "string", enum: ["x"] },
					d: { type: "array", items: { type: "object", properties: { e: { type: "boolean" } } } },
					f: { anyOf: [{ type: "string" }, { type: "integer" }], description: "Either" },
				},
			},
		);
		expect(openaiStrictSchema(schema)).toEqual({
			type: "object",
			properties: {
				a: { type: "string" },
				b: { type: ["integer", "null"] },
				c: { type: ["string", "null"], enum: ["x", null] },
				d: {
					type: ["array", "null"],
					items: {
						type: "object",
						properties: { e: { type: ["boolean", "null"] } },
						required: ["e"],
						additionalProperties: false,
					},
				},
				f: { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }], description: "Either" },
			},
			required: ["a", "b", "c", "d", "f"],
			additionalProperties: false,
		});
	});

	test.each([
		[{ type: "object", additionalProperties: { type: "string" } }],
		[{ type: "object" }],
		[{ type: "array", prefixItems: [{ type: "string" }] }],
		[{}],
		[{ allOf: [{ type: "string" }] }],
	])("gives nothing for %j, which strict mode cannot say", (schema) => {
		expect(openaiStrictSchema(about(schema))).toBeUndefined();
		expect(schemaFor("openai-strict", about(schema))).toEqual(sanitizeSchema(about(schema)));
	});
});

describe("anthropicSchema()", () => {
	test.each<[unknown, unknown]>([
		[{ type: "string", nullable: true }, { type: ["string", "null"] }],
		[
			{ type: "string", nullable: true, enum: ["x"] },
			{ type: ["string", "null"], enum: ["x", null] },
		],
		[
			{ type: "array", items: [{ type: "string" }], additionalItems: false },
			{ type: "array", prefixItems: [{ type: "string" }], items: false },
		],
		[
			{ type: "number", minimum: 0, exclusiveMinimum: true },
			{ type: "number", exclusiveMinimum: 0 },
		],
		[
			{ type: "number", maximum: 3, exclusiveMaximum: false },
			{ type: "number", maximum: 3 },
		],
		[{ $ref: "#/definitions/x" }, { $ref: "#/$defs/x" }],
	])("makes %j to %j", (schema, expected) => {
		expect(anthropicSchema(about(schema))).toEqual(about(expected) as never);
	});

	test("moves definitions, and refuses names of properties that the endpoint refuses", () => {
		expect(anthropicSchema({ type: "object", definitions: { x: { type: "string" } } })).toEqual({
			type: "object",
			$defs: { x: { type: "string" } },
		});
		expect(() => anthropicSchema({ type: "object", properties: { "a b": {} } })).toThrow('the property "a b"');
	});
});

describe("schemaFamilyOf()", () => {
	test.each([
		["custom", "gpt-5", "generic"],
		["openrouter", "google/gemini-3-pro", "gemini"],
		["vertex", "x", "gemini"],
		["anthropic", "x", "anthropic"],
		["openrouter", "anthropic/claude-4.5-sonnet", "anthropic"],
	])("of %s and %s is %s", (provider, model, family) => {
		expect(schemaFamilyOf({ provider, model })).toBe(family as never);
	});
});
