/**
 * What is known of models: windows, prices and abilities, from the catalog of models.dev where it was fetched, else from the snapshot
 * in the executable, else from the table of families.
 */

import { join } from "node:path";
import { z } from "zod";
import { readText } from "../../config/files.ts";
import { plainName } from "../wire/anthropic-models.ts";
import { type Price, prices, type Rates, windows } from "./family-table.ts";
import { snapshotFacts, snapshotNames } from "./snapshot.ts";

/** What is known of one model. Missing is unknown, never nothing. */
export interface ModelFacts {
	/** Tokens of question and answer together. */
	readonly contextTokens?: number;
	readonly outputTokens?: number;
	readonly price?: Price;
	/** Whether it calls tools, thinks before it answers, and sees images. */
	readonly tools?: boolean;
	readonly reasoning?: boolean;
	readonly images?: boolean;
}

/** Facts by provider id and model. */
export interface Catalog {
	facts(providerId: string, model: string): ModelFacts;
	/** Names of the models of a provider; empty when none are known. */
	models(providerId: string): readonly string[];
}

const amount = z.number().nonnegative();
const rates = { input: amount, output: amount, cache_read: amount.optional(), cache_write: amount.optional() };
const entry = z.object({
	limit: z.object({ context: amount.optional(), output: amount.optional() }).optional(),
	cost: z.object({ ...rates, context_over_200k: z.object(rates).optional() }).optional(),
	tool_call: z.boolean().optional(),
	reasoning: z.boolean().optional(),
	modalities: z.object({ input: z.array(z.string()) }).optional(),
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

/** Those that have one name on both sides. */
const ourNames = ["anthropic", "azure", "deepseek", "huggingface", "minimax", "nous", "openrouter", "xai", "zai"];

/** Whether the catalog's name of a provider is one that we ask for. */
export function isKnownProvider(name: string): boolean {
	return Object.values(catalogNames).includes(name) || ourNames.includes(name);
}

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
			const provider = catalogNames[providerId] ?? providerId;
			// Who writes "claude-sonnet-4.6" to Anthropic means the same model.
			for (const name of new Set([model, plainName(model)])) {
				const found = Object.hasOwn(models, name) ? entry.safeParse(models[name]).data : undefined;
				const known = snapshotFacts(provider, name);
				if (found === undefined && known === undefined) continue;
				return { ...ofFamily(providerId, model), ...known, ...(found && factsOf(found)) };
			}
			return ofFamily(providerId, model);
		},
		models(providerId) {
			const fetchedModels = Object.entries(modelsOf(providerId));
			// What was fetched knows which models are gone.
			if (fetchedModels.length === 0) return snapshotNames(catalogNames[providerId] ?? providerId);
			return fetchedModels
				.filter(([, value]) => {
					const known = entry.safeParse(value).data;
					return known !== undefined && known.tool_call !== false;
				})
				.map(([name]) => name);
		},
	};
}

function ofFamily(providerId: string, model: string): ModelFacts {
	const name = plainName(model);
	const contextTokens = windows.find(([family]) => family.test(name))?.[1];
	const price = prices[catalogNames[providerId] === "openai" ? "openai" : providerId]?.find(([exact]) =>
		exact.test(name),
	)?.[1];
	return { ...(contextTokens !== undefined && { contextTokens }), ...(price !== undefined && { price }) };
}

function factsOf({ limit, cost, tool_call: tools, reasoning, modalities }: z.output<typeof entry>): ModelFacts {
	const longer = cost?.context_over_200k;
	return {
		...(limit?.context && { contextTokens: limit.context }),
		...(limit?.output && { outputTokens: limit.output }),
		...(cost && {
			price: { ...ratesOf(cost), ...(longer && { above: [{ tokens: 200_000, ...ratesOf(longer) }] }) },
		}),
		...(tools !== undefined && { tools }),
		...(reasoning !== undefined && { reasoning }),
		...(modalities !== undefined && { images: modalities.input.includes("image") }),
	};
}

function ratesOf({ input, output, cache_read: read, cache_write: write }: z.output<z.ZodObject<typeof rates>>): Rates {
	const micro = (dollars: number) => Math.round(dollars * 1e6);
	return {
		input: micro(input),
		output: micro(output),
		...(read !== undefined && { cacheRead: micro(read) }),
		...(write !== undefined && { cacheWrite: micro(write) }),
	};
}
