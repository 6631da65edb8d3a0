/** Firecrawl: search and reading, by key or on a server of one's own. */

import { z } from "zod";
import { askService, ServiceFailed } from "./ask-service.ts";
import type { ServiceContext, WebService } from "./service.ts";

const hits = z.array(z.object({ url: z.string(), title: z.string().nullish(), description: z.string().nullish() }));
/** Older servers answer with the list itself. */
const searchAnswer = z.object({
	success: z.boolean(),
	error: z.string().nullish(),
	data: z.union([hits, z.object({ web: hits.nullish() })]).nullish(),
});
const scrapeAnswer = z.object({
	success: z.boolean(),
	error: z.string().nullish(),
	data: z
		.object({
			markdown: z.string().nullish(),
			metadata: z
				.object({
					title: z.union([z.string(), z.array(z.string())]).nullish(),
					url: z.string().nullish(),
					statusCode: z.number().nullish(),
					error: z.string().nullish(),
				})
				.nullish(),
		})
		.nullish(),
});
const limitMs = 60_000;

/** The service. */
export const firecrawl: WebService = {
	id: "firecrawl",
	needs: ["FIRECRAWL_API_KEY", "FIRECRAWL_API_URL"],
	async search({ query, limit }, context) {
		const answer = await askService(
			{ ...ask(context, "search"), body: { query, limit }, answer: searchAnswer, limitMs },
			context,
		);
		if (!answer.success) throw new ServiceFailed(answer.error ?? "it says that it failed");
		const found = Array.isArray(answer.data) ? answer.data : (answer.data?.web ?? []);
		return found.map(({ title, url, description }) => ({ title: title ?? "", url, description: description ?? "" }));
	},
	async extract(url, context) {
		const body = { url, formats: ["markdown"] };
		const answer = await askService({ ...ask(context, "scrape"), body, answer: scrapeAnswer, limitMs }, context);
		const { markdown, metadata } = answer.data ?? {};
		const status = metadata?.statusCode ?? 200;
		if (!answer.success || !markdown || status >= 400) {
			const said = answer.error ?? metadata?.error;
			return { ok: false, error: said ?? (status >= 400 ? `the server answered ${status}` : "the page has no text") };
		}
		const title = metadata?.title;
		return {
			ok: true,
			title: (Array.isArray(title) ? title[0] : title) ?? "",
			text: markdown,
			finalUrl: metadata?.url ?? undefined,
		};
	},
};

function ask({ variables }: ServiceContext, path: string) {
	const base = variables.FIRECRAWL_API_URL?.trim() || "https://api.firecrawl.dev";
	const key = variables.FIRECRAWL_API_KEY?.trim();
	return {
		url: `${base.replace(/\/+$/, "").replace(/\/v\d$/, "")}/v2/${path}`,
		...(key && { headers: { authorization: `Bearer ${key}` } }),
	};
}
