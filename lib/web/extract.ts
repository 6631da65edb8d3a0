/** Reading pages of the web: every address is checked, then a service reads it or we fetch it ourselves. */

import { carriesSecret } from "../security/url-safety/secret-in-url.ts";
import { guardUrl, type ResolveHost, type UrlRules } from "../security/url-safety/url-guard.ts";
import { readUrlRules } from "../security/url-safety/url-rules.ts";
import { parseWebAddress } from "../security/url-safety/web-address.ts";
import { fetchPage, type PageRefused } from "./fetch/fetch-page.ts";
import type { Failure, WebSettings } from "./search.ts";
import { ServiceFailed } from "./services/ask-service.ts";
import { ownFetch, servicesFor } from "./services/configured-services.ts";
import type { ExtractedPage, WebService } from "./services/service.ts";
import { readPage } from "./text/page-text.ts";
import { tidyText } from "./text/plain-text.ts";

/** A page that was read. */
export interface ReadWebPage {
	readonly ok: true;
	readonly title: string;
	/** Markdown, whole. */
	readonly text: string;
	/** After redirects. */
	readonly url: string;
	readonly provider: string;
	readonly failed: readonly Failure[];
}

/** One answer for each address, in the order of the addresses; `warnings` are about the settings. */
export interface Extracted {
	readonly pages: readonly (ReadWebPage | PageRefused)[];
	readonly warnings: readonly string[];
}

/** What pages are read with. */
export interface ExtractOptions {
	readonly settings: WebSettings;
	readonly signal: AbortSignal;
	/** The system's resolver when left out. */
	readonly resolve?: ResolveHost;
	/** Milliseconds for one page fetched by ourselves. */
	readonly limitMs?: number;
}

const mostAtOnce = 3;

/** Reads the pages at `addresses`, a few side by side. Every failure is an outcome; only an interruption is thrown. */
export async function extractPages(addresses: readonly string[], options: ExtractOptions): Promise<Extracted> {
	const { settings, resolve } = options;
	const { rules, warnings } = readUrlRules(settings);
	const { services, problem } = servicesFor("extract", settings);
	const how: Reading = { ...options, rules: { ...rules, ...(resolve && { resolve }) }, services };
	const pages: (ReadWebPage | PageRefused)[] = [];
	const waiting = addresses.entries();
	const work = async () => {
		for (const [index, address] of waiting) pages[index] = await extractPage(address, how);
	};
	await Promise.all(Array.from({ length: mostAtOnce }, work));
	return { pages, warnings: problem === undefined ? warnings : [...warnings, problem] };
}

interface Reading extends ExtractOptions {
	readonly rules: UrlRules;
	readonly services: readonly WebService[];
}

async function extractPage(address: string, how: Reading): Promise<ReadWebPage | PageRefused> {
	if (carriesSecret(address, how.settings.secrets))
		return refused("it carries a credential, which nobody else may see");
	if (how.services.length === 0) return fetchOurselves(address, how, []);
	const parsed = parseWebAddress(address);
	if (!parsed.ok) return refused(parsed.reason);
	const verdict = await guardUrl(parsed.url, how.rules, how.signal);
	if (!verdict.ok) return { ...refused(verdict.reason), byPolicy: verdict.byPolicy };
	// A service elsewhere cannot reach this network.
	if (verdict.isPrivate) return fetchOurselves(address, how, []);
	const failed: Failure[] = [];
	for (const service of how.services) {
		const page = await askService(service, parsed.url.href, how);
		if (!page.ok) {
			failed.push({ provider: service.id, error: page.error });
			continue;
		}
		const refusal = await refusalOfTarget(page.finalUrl, parsed.url, how);
		if (refusal !== undefined) return refusal;
		const url = page.finalUrl ?? parsed.url.href;
		return { ok: true, title: tidyText(page.title), text: tidyText(page.text), url, provider: service.id, failed };
	}
	return fetchOurselves(address, how, failed);
}

async function askService(service: WebService, url: string, { settings, signal }: Reading): Promise<ExtractedPage> {
	try {
		const page = await service.extract?.(url, { variables: settings.variables, signal });
		return page ?? { ok: false, error: "it reads no pages" };
	} catch (cause) {
		if (!(cause instanceof ServiceFailed)) throw cause;
		return { ok: false, error: cause.message };
	}
}

/** A service of one's own may have been led into one's own network: then its text is not passed on. */
async function refusalOfTarget(target: string | undefined, asked: URL, how: Reading): Promise<PageRefused | undefined> {
	const parsed = target === undefined ? undefined : parseWebAddress(target);
	if (parsed === undefined || (parsed.ok && parsed.url.host === asked.host)) return undefined;
	if (!parsed.ok) return refused(`it redirects to an address that cannot be used: ${parsed.reason}`);
	const verdict = await guardUrl(parsed.url, how.rules, how.signal);
	if (verdict.ok) return undefined;
	return {
		...refused(`it redirects to ${parsed.url.href.slice(0, 200)}: ${verdict.reason}`),
		byPolicy: verdict.byPolicy,
	};
}

async function fetchOurselves(
	address: string,
	{ settings, rules, signal, limitMs }: Reading,
	failed: readonly Failure[],
): Promise<ReadWebPage | PageRefused> {
	const { variables } = settings;
	const page = await fetchPage(address, { rules, variables, signal, ...(limitMs !== undefined && { limitMs }) });
	const read = page.ok ? await readPage(page, signal) : page;
	if (page.ok && read.ok) {
		return { ok: true, title: read.title, text: read.text, url: page.url.href, provider: ownFetch, failed };
	}
	if (read.ok) return refused("the page could not be read");
	const others = failed.map(({ provider, error }) => `${provider}: ${error}`).join("; ");
	return { ...read, error: others === "" ? read.error : `${read.error} (before that ${others})` };
}

function refused(error: string): PageRefused {
	return { ok: false, error };
}
