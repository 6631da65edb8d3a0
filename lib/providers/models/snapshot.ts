/** What the executable itself knows of models: the file that `scripts/model-snapshot.ts` writes. */

import { z } from "zod";
import type { ModelFacts } from "./catalog.ts";
import type { Rates } from "./family-table.ts";
import text from "./snapshot.jsonl" with { type: "text" };

const dollars = z.number().nonnegative();
/** Input, output, reading from and writing to the cache; empty when nobody knows. */
const rates = z.union([z.tuple([]), z.tuple([dollars, dollars, dollars.nullable(), dollars.nullable()])]);
const tier = z.tuple([z.number(), dollars, dollars, dollars.nullable(), dollars.nullable()]);
/** Provider, model, window, longest answer, abilities (tools, reasoning, images), rates, and those of longer questions. */
const row = z.tuple([z.string(), z.string(), z.number(), z.number(), z.string(), rates]).rest(tier);

/** The day of the figures and where they are from. */
export function snapshotOrigin(): { readonly taken: string; readonly from: string } {
	const [head = ""] = text.split("\n", 1);
	return z.object({ taken: z.string(), from: z.string() }).parse(JSON.parse(head));
}

/** All models of one provider, by the names of models.dev. Only the provider's own lines are parsed. */
export function snapshotModels(provider: string): ReadonlyMap<string, ModelFacts> {
	const start = `[${JSON.stringify(provider)},`;
	const lines = text.split("\n").filter((line) => line.startsWith(start));
	return new Map(lines.map((line) => entry(row.parse(JSON.parse(line)))));
}

function entry([, model, window, output, abilities, base, ...tiers]: z.output<typeof row>): readonly [
	string,
	ModelFacts,
] {
	const above = tiers.map(([tokens, ...figures]) => ({ tokens, ...ratesOf(figures) }));
	return [
		model,
		{
			...(window > 0 && { contextTokens: window }),
			...(output > 0 && { outputTokens: output }),
			...(base.length === 4 && { price: { ...ratesOf(base), ...(above.length > 0 && { above }) } }),
			tools: abilities.includes("t"),
			reasoning: abilities.includes("r"),
			images: abilities.includes("i"),
		},
	];
}

function ratesOf([input, output, cacheRead, cacheWrite]: readonly [
	number,
	number,
	number | null,
	number | null,
]): Rates {
	const micro = (value: number) => Math.round(value * 1e6);
	return {
		input: micro(input),
		output: micro(output),
		...(cacheRead !== null && { cacheRead: micro(cacheRead) }),
		...(cacheWrite !== null && { cacheWrite: micro(cacheWrite) }),
	};
}
