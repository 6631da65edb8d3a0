/** From the zod arguments of a tool to the JSON Schema that a model gets. */

import { type ZodObject, z } from "zod";

/** A schema as providers are sent it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The schema of what a caller may send: defaulted fields are optional, and the bound that zod puts on every integer is
 * gone, because some providers refuse numbers of that size.
 */
export function argumentsSchema(args: ZodObject): JsonSchema {
	const { $schema: _, ...schema } = z.toJSONSchema(args, {
		io: "input",
		override({ jsonSchema }) {
			if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
			if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
		},
	});
	return schema;
}
