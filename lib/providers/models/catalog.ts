/** What is known of models: windows and prices, from the catalog of models.dev where it was fetched, else from the built-in table. */

import { join } from "node:path";
import { z } from "zod";
import { readText } from "../../config/files.ts";
import { plainName } from "../wire/anthropic-models.ts";
import { type Price, prices, windows } from "./family-table.ts";

/** What is known of one model. Missing is unknown, never nothing. */
export interface ModelFacts {
	/** Tokens of question and answer together. */
	readonly contextTokens?: number;
	readonly outputTokens?: number;
	readonly price?: Price;
}

/** Facts by provider id and model. */
export interface Catalog {
	facts(providerId: string, model: string): ModelFacts;
	/** Names of the models of a provider; empty when none are known. */
	models(providerId: string): readonly string[];
}

const amount = z.number().nonnegative();
const entry = z.object({
	limit: z.object({ context: amount.optional(), output: amount.optional() }).optional(),
	cost: z
		.object({ input: amount, output: amount, cache_read: amount.optional(), cache_write: amount.optional() })
		.optional(),
	tool_call: z.boolean().optional(),
});
const fetched = z.record(z.string(), z.object({ models: z.record(z.string(), z.unknown()) }));

/** The catalog as models.dev has it. */
export type FetchedCatalog = z.output<typeof fetched>;

/** Our ids of providers that the catalog knows under another name. */
const catalogNames: Readonly<Record<string, string>> = {
	codex: "openai",
	gemini: "google",
	kimi: "moonshotai",
	bedrock: "amazon-bedrock",
};

/** Where the fetched catalog is kept. */
export function catalogPath(home: string): string {
	return join(home, "models_dev_cache.json");
}

/** Checks what was fetched; undefined for what is no catalog. */
export function parseCatalog(text: string): FetchedCatalog | undefined {
	try {
		return fetched.parse(JSON.parse(text));
	} catch {
		return undefined;
	}
}

/** Reads the fetched catalog when the first question comes. A broken one counts as none. */
export function openCatalog(home: string): Catalog {
	let read: FetchedCatalog | undefined;
	const table = () => {
		read ??= parseCatalog(readText(catalogPath(home)) ?? "") ?? {};
		return read;
	};
	const modelsOf = (providerId: string) => {
		const name = catalogNames[providerId] ?? providerId;
		return Object.hasOwn(table(), name) ? (table()[name]?.models ?? {}) : {};
	};
	return {
		facts(providerId, model) {
			const models = modelsOf(providerId);
			const found = Object.hasOwn(models, model) ? entry.safeParse(models[model]).data : undefined;
			return { ...builtIn(providerId, model), ...(found && factsOf(found)) };
		},
		models: (providerId) =>
			Object.entries(modelsOf(providerId))
				.filter(([, value]) => {
					const known = entry.safeParse(value).data;
					return known !== undefined && known.tool_call !== false;
				})
				.map(([name]) => name),
	};
}

function builtIn(providerId: string, model: string): ModelFacts {
	const name = plainName(model);
	const contextTokens = windows.find(([family]) => family.test(name))?.[1];
	const price = prices[catalogNames[providerId] === "openai" ? "openai" : providerId]?.find(([exact]) =>
		exact.test(name),
	)?.[1];
	return { ...(contextTokens !== undefined && { contextTokens }), ...(price !== undefined && { price }) };
}

function factsOf({ limit, cost }: z.output<typeof entry>): ModelFacts {
	const micro = (dollars: number) => Math.round(dollars * 1e6);
	return {
		...(limit?.context && { contextTokens: limit.context }),
		...(limit?.output && { outputTokens: limit.output }),
		...(cost && {
			price: {
				input: micro(cost.input),
				output: micro(cost.output),
				...(cost.cache_read !== undefined && { cacheRead: micro(cost.cache_read) }),
				...(cost.cache_write !== undefined && { cacheWrite: micro(cost.cache_write) }),
			},
		}),
	};
}
