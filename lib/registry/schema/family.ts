/** Which dialect of JSON Schema a model's endpoint takes. */

import type { JsonSchema } from "../json-schema.ts";
import { anthropicSchema } from "./anthropic.ts";
import { geminiSchema } from "./gemini.ts";
import { openaiStrictSchema } from "./openai-strict.ts";
import { sanitizeSchema } from "./sanitize.ts";

/** `generic` is what every OpenAI-compatible endpoint understands. */
export type SchemaFamily = "generic" | "gemini" | "openai-strict" | "anthropic";

/** The family of a model, by the name of its provider and, behind a router, by its own. */
export function schemaFamilyOf(model: { readonly provider: string; readonly model: string }): SchemaFamily {
	const names = `${model.provider}/${model.model}`.toLowerCase();
	if (/\b(?:gemini|gemma|vertex)/.test(names)) return "gemini";
	return /\b(?:anthropic|claude)\b/.test(names) ? "anthropic" : "generic";
}

/**
 * `schema` in the words of `family`.
 * @throws {SchemaUnusable} When that cannot be done.
 */
export function schemaFor(family: SchemaFamily, schema: unknown): JsonSchema {
	const clean = sanitizeSchema(schema);
	switch (family) {
		case "gemini":
			return geminiSchema(clean);
		case "anthropic":
			return anthropicSchema(clean);
		case "openai-strict":
			return openaiStrictSchema(clean) ?? clean;
		default:
			return clean;
	}
}
