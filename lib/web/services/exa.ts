/** Exa: search and reading, by key. */

import { z } from "zod";
import { askService } from "./ask-service.ts";
import type { ServiceContext, WebService } from "./service.ts";

const searchAnswer = z.object({
	results: z.array(
		z.object({ title: z.string().nullish(), url: z.string(), highlights: z.array(z.string()).nullish() }),
	),
});
const contentsAnswer = z.object({
	results: z.array(z.object({ url: z.string(), title: z.string().nullish(), text: z.string().nullish() })),
	statuses: z
		.array(
			z.object({
				error: z.object({ tag: z.string().nullish(), httpStatusCode: z.number().nullish() }).nullish(),
			}),
		)
		.nullish(),
});
const limitMs = 60_000;

/** The service. */
export const exa: WebService = {
	id: "exa",
	needs: ["EXA_API_KEY"],
	async search({ query, limit }, context) {
		const body = { query, numResults: limit, contents: { highlights: true } };
		const { results } = await askService({ ...ask(context, "search"), body, answer: searchAnswer, limitMs }, context);
		return results.map(({ title, url, highlights }) => ({
			title: title ?? "",
			url,
			description: (highlights ?? []).join(" … "),
		}));
	},
	async extract(url, context) {
		const body = { urls: [url], text: true };
		const answer = await askService({ ...ask(context, "contents"), body, answer: contentsAnswer, limitMs }, context);
		const [page] = answer.results;
		if (page?.text) return { ok: true, title: page.title ?? "", text: page.text, finalUrl: page.url };
		const { tag, httpStatusCode } = answer.statuses?.[0]?.error ?? {};
		return { ok: false, error: [tag ?? "the page could not be read", httpStatusCode].filter(Boolean).join(", HTTP ") };
	},
};

function ask({ variables }: ServiceContext, path: string) {
	const base = variables.EXA_BASE_URL?.trim() || "https://api.exa.ai";
	return {
		url: `${base.replace(/\/+$/, "")}/${path}`,
		headers: { "x-api-key": variables.EXA_API_KEY?.trim() ?? "" },
	};
}
