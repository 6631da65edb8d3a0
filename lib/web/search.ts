/** Searching the web: the services that are set up, one after the other until one answers. */

import type { LoadedConfig } from "../config/load.ts";
import { carriesSecret } from "../security/url-safety/secret-in-url.ts";
import { ServiceFailed } from "./services/ask-service.ts";
import { servicesFor } from "./services/configured-services.ts";
import type { SearchHit, SearchRequest, WebService } from "./services/service.ts";

/** What of the settings searching and reading need. */
export type WebSettings = Pick<LoadedConfig, "get" | "find" | "variables" | "secrets">;

/** A service that was asked in vain. */
export interface Failure {
	readonly provider: string;
	readonly error: string;
}

/** Results with who gave them, or why there are none. `failed` were asked before. */
export type SearchOutcome =
	| {
			readonly ok: true;
			readonly provider: string;
			readonly hits: readonly SearchHit[];
			readonly failed: readonly Failure[];
			readonly problem?: string | undefined;
	  }
	| { readonly ok: false; readonly error: string; readonly failed: readonly Failure[] };

/** Some services return whole paragraphs. */
const longestDescription = 1_000;

/** Why nothing can be searched; undefined when a service is set up. */
export function searchUnavailable(settings: WebSettings | undefined): string | undefined {
	const { services, problem } = servicesFor("search", settings);
	if (services.length > 0) return undefined;
	const way = "set SEARXNG_URL, or a key of Tavily, Exa, Parallel, Firecrawl or Brave";
	return problem === undefined ? `no search service is set up: ${way}` : `${problem}; ${way}`;
}

/** Searches. Every failure is an outcome; only an interruption is thrown. */
export async function searchWeb(
	request: SearchRequest,
	settings: WebSettings,
	signal: AbortSignal,
): Promise<SearchOutcome> {
	if (carriesSecret(request.query, settings.secrets)) {
		return { ok: false, error: "Cannot search: the query carries a credential", failed: [] };
	}
	const { services, problem } = servicesFor("search", settings);
	const failed: Failure[] = [];
	for (const service of services) {
		const asked = await askOne(service, request, { variables: settings.variables, signal });
		if (asked.ok) return { ok: true, provider: service.id, hits: tidy(asked.hits, request.limit), failed, problem };
		failed.push({ provider: service.id, error: asked.error });
	}
	const said = failed.map(({ provider, error }) => `${provider}: ${error}`).join("; ");
	return { ok: false, error: `Cannot search: ${said || searchUnavailable(settings)}`, failed };
}

async function askOne(
	service: WebService,
	request: SearchRequest,
	context: Parameters<NonNullable<WebService["search"]>>[1],
): Promise<{ ok: true; hits: readonly SearchHit[] } | { ok: false; error: string }> {
	try {
		return { ok: true, hits: (await service.search?.(request, context)) ?? [] };
	} catch (cause) {
		if (!(cause instanceof ServiceFailed)) throw cause;
		return { ok: false, error: cause.message };
	}
}

function tidy(hits: readonly SearchHit[], limit: number): SearchHit[] {
	return hits.slice(0, limit).map(({ title, url, description }) => ({
		title: title.trim(),
		url,
		description: description.replace(/\s+/g, " ").trim().slice(0, longestDescription).toWellFormed(),
	}));
}
