/** A page of the web, fetched behind the guard: every redirect is checked like the first address. */

import { attemptAsync } from "../../base/attempt.ts";
import { guardUrl, type UrlRules } from "../../security/url-safety/url-guard.ts";
import { parseWebAddress } from "../../security/url-safety/web-address.ts";
import { requestPinned } from "./pinned-request.ts";
import { readBody } from "./read-body.ts";

/** What pages are fetched with. */
export interface FetchOptions {
	readonly rules: UrlRules;
	readonly variables: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	/** Milliseconds for everything together, redirects and body included. */
	readonly limitMs?: number;
	readonly limitBytes?: number;
}

/** What a server sent for an address. */
export interface FetchedPage {
	readonly ok: true;
	/** After redirects. */
	readonly url: URL;
	readonly contentType: string;
	readonly bytes: Uint8Array;
	readonly isCut: boolean;
}

/** Why there is no page. */
export interface PageRefused {
	readonly ok: false;
	readonly error: string;
	/** The user's list of blocked websites has it. */
	readonly byPolicy?: boolean;
}

const mostRedirects = 5;
const defaultLimitMs = 30_000;
const defaultLimitBytes = 20 * 1024 * 1024;

/** Fetches the page at `address`. Every failure is an outcome; only an interruption is thrown. */
export async function fetchPage(address: string, options: FetchOptions): Promise<FetchedPage | PageRefused> {
	const { limitMs = defaultLimitMs } = options;
	const time = AbortSignal.timeout(limitMs);
	const signal = AbortSignal.any([options.signal, time]);
	const fetched = await attemptAsync(() => follow(address, { ...options, signal }));
	options.signal.throwIfAborted();
	if (fetched.ok) return fetched.value;
	return refused(time.aborted ? `it did not answer within ${limitMs / 1000} s` : reasonFor(fetched.reason));
}

async function follow(address: string, options: FetchOptions): Promise<FetchedPage | PageRefused> {
	const seen = new Set<string>();
	let next = address;
	let from: URL | undefined;
	for (;;) {
		const step = await askOnce(next, from, options);
		if ("ok" in step) return step;
		seen.add(step.url.href);
		if (seen.size > mostRedirects) return refused(`it redirects more than ${mostRedirects} times`);
		const target = URL.parse(step.location, step.url.href);
		if (target !== null && seen.has(target.href)) return refused("its redirects go round in a circle");
		next = step.location;
		from = step.url;
	}
}

interface Redirect {
	readonly url: URL;
	readonly location: string;
}

async function askOnce(
	address: string,
	from: URL | undefined,
	options: FetchOptions,
): Promise<FetchedPage | PageRefused | Redirect> {
	const parsed = parseWebAddress(address, from);
	if (!parsed.ok) return refused(about(from, address, parsed.reason));
	const { url } = parsed;
	const verdict = await guardUrl(url, options.rules, options.signal);
	if (!verdict.ok) return { ...refused(about(from, url.href, verdict.reason)), byPolicy: verdict.byPolicy };
	const response = await requestPinned({ ...options, url, addresses: verdict.addresses });
	const location = response.headers.get("location");
	if (response.status >= 300 && response.status < 400 && location !== null) {
		await response.body?.cancel();
		return { url, location };
	}
	return readAnswer(response, url, options);
}

async function readAnswer(response: Response, url: URL, options: FetchOptions): Promise<FetchedPage | PageRefused> {
	const contentType = response.headers.get("content-type") ?? "";
	const refusal = response.ok
		? unreadable(contentType)
		: `the server answered ${response.status} ${response.statusText}`;
	if (refusal !== undefined) {
		await response.body?.cancel();
		return refused(refusal.trim());
	}
	const { bytes, isCut } = await readBody(response, options.limitBytes ?? defaultLimitBytes);
	return { ok: true, url, contentType, bytes, isCut };
}

/** Films and pictures are not downloaded only to be thrown away. */
function unreadable(contentType: string): string | undefined {
	const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
	const isMedia = /^(?:image|audio|video|font|model)\//.test(type) && type !== "image/svg+xml";
	return isMedia ? `it is ${type}, not text` : undefined;
}

function about(from: URL | undefined, target: string, reason: string): string {
	return from === undefined ? reason : `it redirects to ${target.slice(0, 200)}: ${reason}`;
}

/** What Bun's fetch says is for programmers. */
function reasonFor(reason: string): string {
	if (/CERT|SSL|TLS|LEAF_SIGNATURE|issuer/i.test(reason))
		return `its certificate cannot be trusted (${reason.split(". ")[0]})`;
	if (/ConnectionRefused|Unable to connect|ECONNREFUSED/i.test(reason)) return "the server does not take connections";
	return reason.replace(/\.? For more information, pass .*$/, "");
}

function refused(error: string): PageRefused {
	return { ok: false, error };
}
