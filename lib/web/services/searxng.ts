/** SearXNG: search on a server of one's own or of somebody who allows it; no key. */

import { z } from "zod";
import { askService, ServiceFailed } from "./ask-service.ts";
import type { WebService } from "./service.ts";

const answer = z.object({
	results: z.array(z.object({ url: z.string(), title: z.string().nullish(), content: z.string().nullish() })),
	unresponsive_engines: z.array(z.unknown()).nullish(),
});
const limitMs = 15_000;

/** The service. Its pages have some ten results; more are asked for page by page. */
export const searxng: WebService = {
	id: "searxng",
	needs: ["SEARXNG_URL"],
	async search({ query, limit }, context) {
		const base = `${context.variables.SEARXNG_URL?.trim().replace(/\/+$/, "")}/search`;
		const hits = new Map<string, { title: string; url: string; description: string }>();
		for (let page = 1; hits.size < limit && page <= mostPages; page++) {
			const asked = new URLSearchParams({ q: query, format: "json", pageno: String(page) });
			const { results, unresponsive_engines: silent } = await askJson(`${base}?${asked}`, context);
			if (page === 1 && results.length === 0 && (silent?.length ?? 0) > 0) {
				throw new ServiceFailed(`none of its ${silent?.length} search engines answered`);
			}
			const before = hits.size;
			for (const { url, title, content } of results)
				hits.set(url, { title: title ?? "", url, description: content ?? "" });
			if (hits.size === before) break;
		}
		return [...hits.values()];
	},
};

const mostPages = 5;

async function askJson(url: string, context: Parameters<typeof askService>[1]) {
	try {
		return await askService({ url, answer, limitMs }, context);
	} catch (cause) {
		if (!(cause instanceof ServiceFailed) || !cause.message.startsWith("HTTP 403")) throw cause;
		throw new ServiceFailed("HTTP 403: JSON is not among the formats under search.formats of its settings.yml", {
			cause,
		});
	}
}
