import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { catalogPath, openCatalog } from "../../lib/providers/models/catalog.ts";
import { costMicroUsd } from "../../lib/providers/models/cost.ts";
import { refreshCatalog } from "../../lib/providers/models/refresh-catalog.ts";
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
			facts("openrouter", "openai/gpt-5").price,
			facts("openai", "gpt-5-next").price,
		]).toEqual([
			{ input: 3_000_000, output: 15_000_000, cacheRead: 300_000, cacheWrite: 3_750_000 },
			{ input: 1_250_000, output: 10_000_000, cacheRead: 125_000 },
			undefined,
			undefined,
		]);
		expect(existsSync(catalogPath(folder.path))).toBe(false);
	});

	test("openCatalog() takes what was fetched before what is built in, and a broken file for none", () => {
		using folder = temporaryFolder();
		const models = {
			"gemini-9": { limit: { context: 5, output: 2 }, cost: { input: 0.1, output: 0.4, cache_read: 0.025 } },
			"gemini-broken": { limit: "none" },
			"gemini-embed": { tool_call: false },
		};
		writeFileSync(catalogPath(folder.path), JSON.stringify({ google: { models } }));
		const catalog = openCatalog(folder.path);
		expect([
			catalog.facts("gemini", "gemini-9"),
			catalog.facts("gemini", "gemini-broken"),
			catalog.models("gemini"),
		]).toEqual([
			{ contextTokens: 5, outputTokens: 2, price: { input: 100_000, output: 400_000, cacheRead: 25_000 } },
			{ contextTokens: 1_048_576 },
			["gemini-9"],
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
		body = JSON.stringify({ xai: { models: { "grok-9": {} } } });
		expect([await refreshCatalog({ home, url }), await refreshCatalog({ home, url }), asked]).toEqual([true, false, 2]);
		expect(openCatalog(home).models("xai")).toEqual(["grok-9"]);
		expect(await refreshCatalog({ home: `${home}/other`, url: "http://127.0.0.1:1/" })).toBe(false);
	});
});
