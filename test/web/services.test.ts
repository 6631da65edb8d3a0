import { describe, expect, test } from "bun:test";
import { type LoadedConfig, loadConfig } from "../../lib/config/load.ts";
import { extractPages } from "../../lib/web/extract.ts";
import { searchUnavailable, searchWeb } from "../../lib/web/search.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { html, startWebServer } from "../support/web-server.ts";
import { startWebServices } from "../support/web-services.ts";

const { signal } = new AbortController();

async function settingsWith(variables: Readonly<Record<string, string>>, config = ""): Promise<LoadedConfig> {
	using home = temporaryFolder();
	await Bun.write(`${home.path}/config.yaml`, config);
	// Awaited here: the folder goes when this function ends.
	return await loadConfig({ home: home.path, variables });
}

/** Only these services are set up. */
function only(variables: Readonly<Record<string, string>>, ...names: readonly string[]) {
	return Object.fromEntries(
		Object.entries(variables).filter(([name]) => names.some((wanted) => name.startsWith(wanted))),
	);
}

const publicNames = async () => ["93.184.216.34"];

describe("searchWeb()", () => {
	const hits = {
		tavily: { title: "tavily 1", url: "https://tavily.example/1", description: "About it" },
		exa: { title: "exa 1", url: "https://exa.example/1", description: "one … two" },
		parallel: { title: "parallel 1", url: "https://parallel.example/1", description: "one … two" },
		firecrawl: { title: "firecrawl 1", url: "https://firecrawl.example/1", description: "About it" },
		searxng: { title: "searxng 1", url: "https://searxng.example/1", description: "About it" },
		brave: { title: "brave 1 & more", url: "https://brave.example/1", description: "About it 'quoted'" },
	};

	test.each([
		["tavily", "POST /tavily/search", "Bearer test-key-0123456789", { query: "what is", max_results: 1 }],
		[
			"exa",
			"POST /exa/search",
			"test-key-0123456789",
			{ query: "what is", numResults: 1, contents: { highlights: true } },
		],
		[
			"parallel",
			"POST /parallel/v1/search",
			"test-key-0123456789",
			{
				objective: "what is",
				search_queries: ["what is"],
				mode: "basic",
				advanced_settings: { max_results: 1, excerpt_settings: { max_chars_per_result: 1_000 } },
			},
		],
		["firecrawl", "POST /firecrawl/v2/search", "Bearer test-key-0123456789", { query: "what is", limit: 1 }],
		["searxng", "GET /searxng/search?q=what+is&format=json&pageno=1", "", undefined],
		["brave", "GET /brave/res/v1/web/search?q=what+is&count=1", "test-key-0123456789", undefined],
	] as const)("asks %s as its maker documents", async (provider, ...[asked, key, body]) => {
		await using services = startWebServices();
		const settings = await settingsWith(only(services.variables, provider.toUpperCase()));
		const outcome = await searchWeb({ query: "what is", limit: 1 }, settings, signal);
		expect(outcome).toEqual({ ok: true, provider, hits: [hits[provider]], failed: [], problem: undefined });
		expect(services.requests).toEqual([{ asked, key, body }]);
	});

	test("gives no more than was asked for, and what services have at most", async () => {
		await using services = startWebServices();
		const counts = await Promise.all(
			["TAVILY", "EXA", "PARALLEL", "FIRECRAWL", "SEARXNG", "BRAVE"].map(async (name) => {
				const settings = await settingsWith(only(services.variables, name));
				const outcome = await searchWeb({ query: "x", limit: 25 }, settings, signal);
				return outcome.ok ? outcome.hits.length : outcome.error;
			}),
		);
		expect(counts).toEqual([20, 25, 25, 25, 25, 20]);
	});

	test("asks the next service after an error, and names both", async () => {
		await using services = startWebServices();
		const settings = await settingsWith(services.variables);
		const faults = ["401", "html", "429", "500", "403"] as const;
		for (const [index, name] of ["tavily", "exa", "parallel", "firecrawl", "searxng"].entries()) {
			services.faults.set(name, faults[index] ?? "500");
		}
		const outcome = await searchWeb({ query: "x", limit: 1 }, settings, signal);
		expect(outcome).toEqual({
			ok: true,
			provider: "brave",
			hits: [hits.brave],
			failed: [
				{ provider: "tavily", error: "HTTP 401: the key is not accepted: invalid key test-k...6789" },
				{ provider: "exa", error: "its answer is not what it should be; is the address right?" },
				{ provider: "parallel", error: "HTTP 429: too many requests, or the quota is used up: rate limit exceeded" },
				{ provider: "firecrawl", error: "HTTP 500" },
				{
					provider: "searxng",
					error: "HTTP 403: JSON is not among the formats under search.formats of its settings.yml",
				},
			],
			problem: undefined,
		});
	});

	test("says what every service said when none answers", async () => {
		await using services = startWebServices();
		for (const [name, fault] of [
			["tavily", "wrong-shape"],
			["exa", "redirect"],
			["searxng", "empty"],
		] as const) {
			services.faults.set(name, fault);
		}
		const settings = await settingsWith(only(services.variables, "TAVILY", "EXA", "SEARXNG"));
		const outcome = await searchWeb({ query: "x", limit: 1 }, settings, signal);
		expect(outcome).toMatchObject({
			ok: false,
			error:
				"Cannot search: tavily: its answer is not what it should be; is the address right?; exa: HTTP 302; searxng: none of its 1 search engines answered",
		});
	});

	test("asks the chosen service first, then the others", async () => {
		await using services = startWebServices();
		services.faults.set("brave", "500");
		const settings = await settingsWith(services.variables, "web: {search_backend: brave-free, backend: exa}");
		const outcome = await searchWeb({ query: "x", limit: 1 }, settings, signal);
		expect(outcome).toMatchObject({ ok: true, provider: "tavily", failed: [{ provider: "brave", error: "HTTP 500" }] });
		const general = await settingsWith(services.variables, "web: {backend: exa}");
		expect(await searchWeb({ query: "x", limit: 1 }, general, signal)).toMatchObject({ ok: true, provider: "exa" });
	});

	test("says when the chosen service cannot be used", async () => {
		await using services = startWebServices();
		const unset = await settingsWith(only(services.variables, "SEARXNG"), "web: {backend: tavily}");
		expect(await searchWeb({ query: "x", limit: 1 }, unset, signal)).toMatchObject({
			provider: "searxng",
			problem: 'web.backend is "tavily", and TAVILY_API_KEY is not set',
		});
		const wrong = await settingsWith({}, "web: {backend: google}");
		expect(searchUnavailable(wrong)).toStartWith('web.backend is "google", which is none of tavily, exa');
	});

	test("is interrupted while a service does not answer", async () => {
		await using services = startWebServices();
		services.faults.set("tavily", "never");
		const controller = new AbortController();
		const searching = searchWeb({ query: "x", limit: 1 }, await settingsWith(services.variables), controller.signal);
		setTimeout(() => controller.abort(new Error("stop")), 50);
		expect(searching).rejects.toThrow("stop");
		await searching.catch(() => {});
		expect(services.requests).toHaveLength(1);
	});

	test("sends no credentials out in a query", async () => {
		await using services = startWebServices();
		const settings = await settingsWith({ ...services.variables, MY_DATABASE_PASSWORD: "correct-horse-battery" });
		const outcome = await searchWeb({ query: "who uses correct-horse-battery", limit: 1 }, settings, signal);
		expect(outcome).toEqual({ ok: false, error: "Cannot search: the query carries a credential", failed: [] });
		expect(services.requests).toEqual([]);
	});
});

describe("searchUnavailable()", () => {
	test.each([
		[
			"nothing",
			{},
			"no search service is set up: set SEARXNG_URL, or a key of Tavily, Exa, Parallel, Firecrawl or Brave",
		],
		[
			"an empty key",
			{ EXA_API_KEY: " " },
			"no search service is set up: set SEARXNG_URL, or a key of Tavily, Exa, Parallel, Firecrawl or Brave",
		],
		["a SearXNG", { SEARXNG_URL: "http://x" }, undefined],
		["the other name of Brave's key", { BRAVE_API_KEY: "x" }, undefined],
		["a Firecrawl of one's own", { FIRECRAWL_API_URL: "http://x" }, undefined],
	] as const)("with %s", async (_, variables, said) => {
		expect(searchUnavailable(await settingsWith(variables))).toBe(said);
	});
});

describe("extractPages() with services", () => {
	test.each([
		["tavily", "", "# By tavily"],
		["exa", "Exa's", "By exa"],
		["parallel", "P", "By parallel"],
		["firecrawl", "F", "By firecrawl ![x]((data))"],
	] as const)("reads by %s", async (provider, title, text) => {
		await using services = startWebServices();
		const settings = await settingsWith(only(services.variables, provider.toUpperCase()));
		const url = "https://page.example/a";
		const { pages } = await extractPages([url], { settings, signal, resolve: publicNames });
		expect(pages).toEqual([{ ok: true, title, text, url, provider, failed: [] }]);
	});

	test("asks the next service, and in the end fetches itself, and names all", async () => {
		await using services = startWebServices();
		await using server = startWebServer({ "/lost": html("<p>by ourselves") });
		services.faults.set("tavily", "429");
		const settings = await settingsWith(services.variables, "security: {allow_private_urls: true}");
		const { pages } = await extractPages(["https://lost.example/"], {
			settings,
			signal,
			resolve: publicNames,
			limitMs: 1,
		});
		expect(pages).toMatchObject([
			{
				ok: false,
				error: expect.stringMatching(
					/\(before that tavily: HTTP 429.*; exa: CRAWL_NOT_FOUND, HTTP 404; parallel: fetch_error, HTTP 500; firecrawl: The URL failed to load\)$/,
				),
			},
		]);
		const near = await extractPages([`${server.url}/lost`], { settings, signal });
		expect(near.pages).toMatchObject([{ ok: true, text: "by ourselves", provider: "fetch", failed: [] }]);
	});

	test("gives no service an address that the guard refuses", async () => {
		await using services = startWebServices();
		const settings = await settingsWith({ ...services.variables, MY_API_KEY: "correct-horse-battery" });
		const addresses = [
			"http://127.0.0.1/",
			"http://169.254.169.254/",
			"https://x.example/?k=correct-horse-battery",
			"ftp://x/",
		];
		const { pages } = await extractPages(addresses, { settings, signal, resolve: publicNames });
		expect(pages.map((page) => (page.ok ? "read" : page.error))).toEqual([
			"127.0.0.1 is this machine",
			"169.254.169.254 is link-local, where clouds keep the keys of a machine",
			"it carries a credential, which nobody else may see",
			"ftp: is not http or https",
		]);
		expect(services.requests).toEqual([]);
	});

	test("does not pass on what a service found at a private address", async () => {
		await using services = startWebServices();
		const settings = await settingsWith(services.variables, "web: {extract_backend: firecrawl}");
		const { pages } = await extractPages(["https://inward.example/"], { settings, signal, resolve: publicNames });
		expect(pages).toEqual([
			{
				ok: false,
				error:
					"it redirects to http://169.254.169.254/latest: 169.254.169.254 is link-local, where clouds keep the keys of a machine",
				byPolicy: false,
			},
		]);
	});

	test("keeps to its own fetch when the settings say so, and refuses blocked websites", async () => {
		await using services = startWebServices();
		await using server = startWebServer({ "/": html("<p>hello") });
		const config =
			"web: {extract_backend: fetch}\nsecurity: {allow_private_urls: true, website_blocklist: {enabled: true, domains: [bad.example], shared_files: [missing.txt]}}";
		const settings = await settingsWith(services.variables, config);
		const { pages, warnings } = await extractPages([server.url, "https://www.bad.example/"], { settings, signal });
		expect(pages).toMatchObject([
			{ ok: true, text: "hello", provider: "fetch" },
			{ ok: false, error: "the website is on the list of blocked ones", byPolicy: true },
		]);
		expect(warnings).toEqual([expect.stringMatching(/^the list of blocked websites ".*missing\.txt" cannot be read/)]);
		expect(services.requests).toEqual([]);
	});
});
