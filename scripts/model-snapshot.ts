/**
 * Writes `lib/providers/models/snapshot.jsonl`: what is known of the models of our providers, for a machine that never reached
 * models.dev. It takes the figures of the npm package `@earendil-works/pi-ai` (MIT), which collects them from models.dev and from the
 * makers: `npm pack @earendil-works/pi-ai`, unpack it, `bun scripts/model-snapshot.ts FOLDER/package`.
 */

import { join } from "node:path";
import { z } from "zod";

const target = join(import.meta.dir, "../lib/providers/models/snapshot.jsonl");

/** By the names of models.dev, which the package uses too. */
const providers = [
	"amazon-bedrock",
	"anthropic",
	"azure",
	"deepseek",
	"google",
	"huggingface",
	"minimax",
	"moonshotai",
	"openai",
	"openrouter",
	"xai",
	"zai",
];

const price = { input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() };
const model = z.object({
	id: z.string(),
	type: z.string(),
	reasoning: z.boolean().optional(),
	input: z.array(z.string()),
	cost: z.object({ ...price, tiers: z.array(z.object({ ...price, inputTokensAbove: z.number() })).optional() }),
	contextWindow: z.number().optional(),
	maxTokens: z.number().optional(),
});
const models = z.record(z.string(), z.record(z.string(), model));

type Cost = Omit<z.output<typeof model>["cost"], "tiers">;

/** The package writes nothing for free: the price of what is not paid for apart is left out, and so is that of an unknown model. */
function prices({ input, output, cacheRead, cacheWrite }: Cost, isFree: boolean): readonly (number | null)[] {
	if (isFree) return [0, 0, 0, 0];
	if (input === 0 && output === 0) return [];
	return [input, output, cacheRead || null, cacheWrite || null];
}

function row(provider: string, { id, reasoning, input, cost, contextWindow, maxTokens }: z.output<typeof model>) {
	const abilities = `t${reasoning === true ? "r" : ""}${input.includes("image") ? "i" : ""}`;
	const tiers = (cost.tiers ?? []).map((tier) => [tier.inputTokensAbove, ...prices(tier, false)]);
	const figures = prices(cost, provider === "openrouter" && id.endsWith(":free"));
	return [provider, id, contextWindow ?? 0, maxTokens ?? 0, abilities, figures, ...tiers];
}

const folder = process.argv[2];
if (folder === undefined) throw new Error("Cannot write the snapshot: name the folder of the unpacked package");
const { version } = z.object({ version: z.string() }).parse(await Bun.file(join(folder, "package.json")).json());
const data = join(folder, "dist/providers/data");
const manifest = z.object({ generatedAt: z.iso.datetime() }).parse(await Bun.file(join(data, ".manifest.json")).json());
const lines: string[] = [];
for (const provider of providers) {
	const byWire = models.parse(await Bun.file(join(data, `${provider}.json`)).json());
	const chat = Object.values(byWire).flatMap((each) => Object.values(each).filter(({ type }) => type === "chat"));
	// Models that answer hours later are of no use to a conversation.
	const ids = new Map(chat.filter(({ id }) => !id.endsWith(":batch")).map((each) => [each.id, each]));
	for (const each of [...ids.values()].sort((a, b) => (a.id < b.id ? -1 : 1)))
		lines.push(JSON.stringify(row(provider, each)));
}
const taken = manifest.generatedAt.slice(0, 10);
const head = { taken, from: `@earendil-works/pi-ai ${version}`, license: "MIT" };
await Bun.write(target, `${[JSON.stringify(head), ...lines].join("\n")}\n`);
