/** Tavily: search and reading, by key. */

import { z } from "zod";
import { askService } from "./ask-service.ts";
import type { ServiceContext, WebService } from "./service.ts";

const searchAnswer = z.object({
	results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});
const extractAnswer = z.object({
	results: z.array(z.object({ url: z.string(), raw_content: z.string().nullish(), title: z.string().nullish() })),
	failed_results: z.array(z.object({ error: z.string().nullish() })).nullish(),
});
const limitMs = 60_000;
/** What the service takes at most. */
const mostResults = 20;

/** The service. */
export const tavily: WebService = {
	id: "tavily",
	needs: ["TAVILY_API_KEY"],
	async search({ query, limit }, context) {
		const body = { query, max_results: Math.min(limit, mostResults) };
		const { results } = await askService({ ...ask(context, "search"), body, answer: searchAnswer, limitMs }, context);
		return results.map(({ title, url, content }) => ({ title: title ?? "", url, description: content ?? "" }));
	},
	async extract(url, context) {
		const body = { urls: [url], format: "markdown" };
		const answer = await askService({ ...ask(context, "extract"), body, answer: extractAnswer, limitMs }, context);
		const [page] = answer.results;
		if (page?.raw_content) return { ok: true, title: page.title ?? "", text: page.raw_content };
		return { ok: false, error: answer.failed_results?.[0]?.error ?? "the page could not be read" };
	},
};

function ask({ variables }: ServiceContext, path: string) {
	const base = variables.TAVILY_BASE_URL?.trim() || "https://api.tavily.com";
	return {
		url: `${base.replace(/\/+$/, "")}/${path}`,
		headers: { authorization: `Bearer ${variables.TAVILY_API_KEY?.trim()}` },
	};
}
