/** Brave: search, by key. */

import { z } from "zod";
import { decodeEntities } from "../text/plain-text.ts";
import { askService } from "./ask-service.ts";
import type { WebService } from "./service.ts";

const answer = z.object({
	web: z
		.object({
			results: z.array(z.object({ url: z.string(), title: z.string().nullish(), description: z.string().nullish() })),
		})
		.nullish(),
});
const limitMs = 15_000;
const mostResults = 20;

/** The service. It marks the words that were found with tags, which are taken out. */
export const brave: WebService = {
	id: "brave",
	needs: ["BRAVE_SEARCH_API_KEY", "BRAVE_API_KEY"],
	async search({ query, limit }, context) {
		const { variables } = context;
		const base = variables.BRAVE_SEARCH_BASE_URL?.trim() || "https://api.search.brave.com";
		const asked = new URLSearchParams({ q: query, count: String(Math.min(limit, mostResults)) });
		const key = variables.BRAVE_SEARCH_API_KEY?.trim() || variables.BRAVE_API_KEY?.trim() || "";
		const { web } = await askService(
			{
				url: `${base.replace(/\/+$/, "")}/res/v1/web/search?${asked}`,
				headers: { "x-subscription-token": key },
				answer,
				limitMs,
			},
			context,
		);
		return (web?.results ?? []).map(({ url, title, description }) => ({
			title: plain(title),
			url,
			description: plain(description),
		}));
	},
};

function plain(text: string | null | undefined): string {
	return decodeEntities((text ?? "").replace(/<\/?[a-z]{1,8}>/gi, ""));
}
