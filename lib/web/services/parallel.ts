/** Parallel: search and reading, by key. */

import { z } from "zod";
import { askService } from "./ask-service.ts";
import type { ServiceContext, WebService } from "./service.ts";

const found = z.object({
	url: z.string(),
	title: z.string().nullish(),
	excerpts: z.array(z.string()).nullish(),
	full_content: z.string().nullish(),
});
const searchAnswer = z.object({ results: z.array(found) });
const extractAnswer = z.object({
	results: z.array(found),
	errors: z.array(z.object({ error_type: z.string().nullish(), http_status_code: z.number().nullish() })).nullish(),
});
const limitMs = 60_000;
const mostResults = 40;
/** Its excerpts are long; more than this is what reading the page is for. */
const excerptCharacters = 1_000;

/** The service. */
export const parallel: WebService = {
	id: "parallel",
	needs: ["PARALLEL_API_KEY"],
	async search({ query, limit }, context) {
		const body = {
			objective: query,
			search_queries: [query],
			// The cheaper one; without it the most expensive is taken.
			mode: "basic",
			advanced_settings: {
				max_results: Math.min(limit, mostResults),
				excerpt_settings: { max_chars_per_result: excerptCharacters },
			},
		};
		const { results } = await askService({ ...ask(context, "search"), body, answer: searchAnswer, limitMs }, context);
		return results.map(({ title, url, excerpts }) => ({
			title: title ?? "",
			url,
			description: (excerpts ?? []).join(" … "),
		}));
	},
	async extract(url, context) {
		const body = { urls: [url], advanced_settings: { full_content: true } };
		const answer = await askService({ ...ask(context, "extract"), body, answer: extractAnswer, limitMs }, context);
		const [page] = answer.results;
		const text = page?.full_content || page?.excerpts?.join("\n\n");
		if (text) return { ok: true, title: page?.title ?? "", text, finalUrl: page?.url };
		const { error_type: type, http_status_code: status } = answer.errors?.[0] ?? {};
		return { ok: false, error: [type ?? "the page could not be read", status].filter(Boolean).join(", HTTP ") };
	},
};

function ask({ variables }: ServiceContext, path: string) {
	const base = variables.PARALLEL_BASE_URL?.trim() || "https://api.parallel.ai";
	return {
		url: `${base.replace(/\/+$/, "")}/v1/${path}`,
		headers: { "x-api-key": variables.PARALLEL_API_KEY?.trim() ?? "" },
	};
}
