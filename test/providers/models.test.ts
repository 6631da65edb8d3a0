import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { providers } from "../../lib/providers/all.ts";
import { catalogPath, openCatalog } from "../../lib/providers/models/catalog.ts";
import { costMicroUsd } from "../../lib/providers/models/cost.ts";
import { refreshCatalog } from "../../lib/providers/models/refresh-catalog.ts";
import { snapshotFacts, snapshotNames, snapshotOrigin } from "../../lib/providers/models/snapshot.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
const price = { input: 3_000_000, output: 15_000_000, cacheRead: 300_000 };

describe("costMicroUsd()", () => {
	test("costMicroUsd() counts each kind once, rounds up, and is unknown where a price is missing", () => {
		expect([
			costMicroUsd(
				{ ...usage, inputTokens: 1000, outputTokens: 500, cacheReadTokens: 10_000, reasoningTokens: 400 },
				price,
			),
			costMicroUsd({ ...usage, cacheReadTokens: 1 }, price),
			costMicroUsd({ ...usage, cacheWriteTokens: 1 }, price),
			costMicroUsd(usage, price),
			costMicroUsd({ ...usage, inputTokens: 9_007_199_254 }, price),
		]).toEqual([3000 + 7500 + 3000, 1, undefined, 0, 27_021_597_762]);
	});
});

describe("costMicroUsd() of a long question", () => {
	const longer = {
		...price,
		above: [
			{ tokens: 200_000, input: 6_000_000, output: 22_500_000, cacheRead: 600_000 },
			{ tokens: 500_000, input: 9_000_000, output: 30_000_000, cacheRead: 900_000 },
		],
	};

	test("costMicroUsd() takes the rates of the longest limit that the question passes, for all of it", () => {
		const cost = (inputTokens: number, cacheReadTokens: number) =>
			costMicroUsd({ ...usage, inputTokens, cacheReadTokens, outputTokens: 1000 }, longer);
		expect([cost(100_000, 100_000), cost(100_000, 100_001), cost(600_000, 0)]).toEqual([
			300_000 + 30_000 + 15_000,
			600_000 + 60_001 + 22_500,
			5_400_000 + 30_000,
		]);
	});
});

describe("the snapshot", () => {
	test("snapshotFacts() reads every line of every provider that the catalog knows", async () => {
		const { taken, from } = snapshotOrigin();
		expect([taken, from]).toEqual([
			expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
			expect.stringMatching(/ \d+\.\d+\.\d+$/),
		]);
		const text = await Bun.file(join(import.meta.dir, "../../lib/providers/models/snapshot.jsonl")).text();
		const rows = text
			.trim()
			.split("\n")
			.slice(1)
			.map((line): [string, string] => JSON.parse(line).slice(0, 2));
		const counted = [...new Set(rows.map(([provider]) => provider))].map(snapshotNames);
		expect(counted.flat()).toEqual(rows.map(([, model]) => model));
		const unread = rows.filter(([provider, model]) => snapshotFacts(provider, model)?.tools !== true);
		expect([unread, snapshotNames("nobody"), snapshotFacts("openai", "gpt"), snapshotFacts("xai", "gpt-5")]).toEqual([
			[],
			[],
			undefined,
			undefined,
		]);
	});

	test("every model that a hosted provider offers is one whose window, price and abilities are known", async () => {
		using folder = temporaryFolder();
		const catalog = openCatalog(folder.path);
		const offered: string[] = [];
		const unknown: string[] = [];
		for (const load of Object.values(providers)) {
			const { default: provider } = await load();
			const { id, models = [] } = provider;
			if (models.length === 0 || catalog.models(id).length === 0) continue;
			offered.push(id);
			for (const model of models) {
				const { contextTokens = 0, outputTokens = 0, price, tools } = catalog.facts(id, model);
				if (contextTokens < 100_000 || outputTokens === 0 || price === undefined || tools !== true) unknown.push(model);
			}
		}
		expect(unknown).toEqual([]);
		expect(offered.length).toBeGreaterThanOrEqual(10);
	});

	test("openCatalog() lists and knows models that were never fetched, with their abilities", () => {
		using folder = temporaryFolder();
		const catalog = openCatalog(folder.path);
		expect(catalog.models("kimi")).toContain("kimi-k2.6");
		expect([catalog.facts("zai", "glm-4.7"), catalog.facts("openrouter", "anthropic/claude-sonnet-4.6")]).toEqual([
			expect.objectContaining({ contextTokens: 204_800, tools: true, reasoning: true, images: false }),
			expect.objectContaining({ contextTokens: 1_000_000, tools: true, reasoning: true, images: true }),
		]);
	});
});

describe("openCatalog()", () => {
	test("openCatalog() knows windows and prices without a network, and no price that it was not told", () => {
		using folder = temporaryFolder();
		const { facts } = openCatalog(folder.path);
		const window = (model: string) => facts("openrouter", model).contextTokens;
		expect([
			window("anthropic/claude-opus-4.6"),
			window("claude-sonnet-4-20250514"),
			window("gpt-5.4-mini"),
			window("gpt-5.4"),
			window("gpt-4.1"),
			window("glm-5.2"),
			window("something-else"),
		]).toEqual([1_000_000, 200_000, 400_000, 1_050_000, 1_047_576, 1_048_576, undefined]);
		expect([
			facts("anthropic", "claude-sonnet-4-5").price,
			facts("codex", "gpt-5").price,
			facts("xai", "grok-4-fast").price,
			facts("openai", "gpt-5-next").price,
			facts("anthropic", "constructor").price,
			facts("anthropic", "claude-sonnet-4.6").outputTokens,
		]).toEqual([
			{ input: 3_000_000, output: 15_000_000, cacheRead: 300_000, cacheWrite: 3_750_000 },
			{ input: 1_250_000, output: 10_000_000, cacheRead: 125_000 },
			{ input: 200_000, output: 500_000, cacheRead: 50_000 },
			undefined,
			undefined,
			128_000,
		]);
		expect(existsSync(catalogPath(folder.path))).toBe(false);
	});

	test("openCatalog() takes what was fetched before what is built in, and a broken file for none", () => {
		using folder = temporaryFolder();
		const models = {
			"gemini-9": { limit: { context: 5, output: 2 }, cost: { input: 0.1, output: 0.4, cache_read: 0.025 } },
			"gemini-2.5-pro": {
				limit: { context: 7 },
				cost: { input: 1, output: 2, context_over_200k: { input: 3, output: 4 } },
				reasoning: false,
				modalities: { input: ["text"] },
			},
			"gemini-broken": { limit: "none" },
			"gemini-embed": { tool_call: false },
		};
		writeFileSync(catalogPath(folder.path), JSON.stringify({ google: { models } }));
		const catalog = openCatalog(folder.path);
		expect([
			catalog.facts("gemini", "gemini-9"),
			catalog.facts("gemini", "gemini-2.5-pro"),
			catalog.facts("gemini", "gemini-broken"),
			catalog.models("gemini"),
		]).toEqual([
			{ contextTokens: 5, outputTokens: 2, price: { input: 100_000, output: 400_000, cacheRead: 25_000 } },
			{
				contextTokens: 7,
				outputTokens: 65_536,
				price: {
					input: 1_000_000,
					output: 2_000_000,
					above: [{ tokens: 200_000, input: 3_000_000, output: 4_000_000 }],
				},
				tools: true,
				reasoning: false,
				images: false,
			},
			{ contextTokens: 1_048_576 },
			["gemini-9", "gemini-2.5-pro"],
		]);
		writeFileSync(catalogPath(folder.path), "{");
		expect(openCatalog(folder.path).facts("gemini", "gemini-9")).toEqual({ contextTokens: 1_048_576 });
	});
});

describe("refreshCatalog()", () => {
	test("refreshCatalog() writes what is a catalog, once a day, and keeps the old one when there is none", async () => {
		using folder = temporaryFolder();
		const home = folder.path;
		let asked = 0;
		let body = "<html>";
		await using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: () => {
				asked++;
				return new Response(body);
			},
		});
		const url = server.url.href;
		expect(await refreshCatalog({ home, url })).toBe(false);
		body = JSON.stringify({ "302ai": { models: { "grok-9": {} } }, xai: { models: { "grok-9": {} } } });
		expect([await refreshCatalog({ home, url }), await refreshCatalog({ home, url }), asked]).toEqual([true, false, 2]);
		expect([openCatalog(home).models("xai"), openCatalog(home).models("302ai")]).toEqual([["grok-9"], []]);
		expect(await refreshCatalog({ home: `${home}/other`, url: "http://127.0.0.1:1/" })).toBe(false);
	});
});
