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
const name = z.tuple([z.string(), z.string()]).rest(z.unknown());

/** The day of the figures and where they are from. */
export function snapshotOrigin(): { readonly taken: string; readonly from: string } {
	const [head = ""] = text.split("\n", 1);
	return z.object({ taken: z.string(), from: z.string() }).parse(JSON.parse(head));
}

/** Names of the models of one provider, which is named as models.dev names it. */
export function snapshotNames(provider: string): readonly string[] {
	const start = `[${JSON.stringify(provider)},`;
	return text
		.split("\n")
		.filter((line) => line.startsWith(start))
		.map((line) => name.parse(JSON.parse(line))[1]);
}

/** One model; undefined when it is not there. Only its line is parsed: a session asks when it starts. */
export function snapshotFacts(provider: string, model: string): ModelFacts | undefined {
	const at = text.indexOf(`\n[${JSON.stringify(provider)},${JSON.stringify(model)},`);
	if (at < 0) return undefined;
	return factsOf(row.parse(JSON.parse(text.slice(at + 1, text.indexOf("\n", at + 1)))));
}

function factsOf([, , window, output, abilities, base, ...tiers]: z.output<typeof row>): ModelFacts {
	const above = tiers.map(([tokens, ...figures]) => ({ tokens, ...ratesOf(figures) }));
	return {
		...(window > 0 && { contextTokens: window }),
		...(output > 0 && { outputTokens: output }),
		...(base.length === 4 && { price: { ...ratesOf(base), ...(above.length > 0 && { above }) } }),
		tools: abilities.includes("t"),
		reasoning: abilities.includes("r"),
		images: abilities.includes("i"),
	};
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
