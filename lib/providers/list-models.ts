/** Asks a service which models it has: the cheapest way to see whether an address and a key are right. */

import { rootCertificates } from "node:tls";
import { z } from "zod";
import { systemReason } from "../base/system-reason.ts";
import type { Network } from "./provider.ts";
import { viaProxy } from "./wire/proxy.ts";

/** Who is asked. */
export interface ListRequest {
	/** The provider's id: two of them have a form of their own. */
	readonly provider: string;
	readonly baseUrl: string;
	/** Never logged, never shown; a server of one's own may need none. */
	readonly apiKey?: string | undefined;
	readonly network: Network;
	readonly signal: AbortSignal;
}

/** What came of it. */
export type ListedModels =
	| { readonly kind: "listed"; readonly models: readonly string[] }
	/** The key is not accepted. */
	| { readonly kind: "key refused"; readonly status: number }
	/** It answers, and has no such list: nothing is known about the key. */
	| { readonly kind: "no list"; readonly status: number }
	| { readonly kind: "unreachable"; readonly reason: string };

const entry = z.object({ id: z.string().optional(), name: z.string().optional() });
const lists = z.union([z.object({ data: z.array(entry).nullable() }), z.object({ models: z.array(entry) })]);

/** Sends one GET, which costs nothing at any of the services, and follows no redirect. */
export async function listModels(request: ListRequest): Promise<ListedModels> {
	try {
		const response = await ask(request);
		const { status } = response;
		if (status === 401 || status === 403 || (status === 400 && request.provider === "gemini")) {
			return { kind: "key refused", status };
		}
		const read = response.ok ? lists.safeParse(await response.json().catch(() => undefined)) : undefined;
		return read?.success ? { kind: "listed", models: namesIn(read.data) } : { kind: "no list", status };
	} catch (cause) {
		const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
		return { kind: "unreachable", reason: isLate ? "it does not answer" : (systemReason(cause) ?? reasonOf(cause)) };
	}
}

async function ask({ provider, baseUrl, apiKey, network, signal }: ListRequest): Promise<Response> {
	const base = baseUrl.replace(/\/+$/, "");
	const isAnthropic = provider === "anthropic";
	const url = new URL(isAnthropic && !base.endsWith("/v1") ? `${base}/v1/models` : `${base}/models`);
	// What these two send without being asked for more is the beginning of their list.
	if (isAnthropic) url.searchParams.set("limit", "1000");
	if (provider === "gemini") url.searchParams.set("pageSize", "1000");
	const { authorities } = network;
	return await fetch(url, {
		signal,
		redirect: "manual",
		headers: { accept: "application/json", "user-agent": "hermes", ...keyHeaders(provider, apiKey) },
		...viaProxy(url, network),
		...(authorities !== undefined && { tls: { ca: [...rootCertificates, authorities] } }),
	});
}

function keyHeaders(provider: string, apiKey: string | undefined): Record<string, string> {
	if (apiKey === undefined) return {};
	if (provider === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
	if (provider === "gemini") return { "x-goog-api-key": apiKey };
	return { authorization: `Bearer ${apiKey}` };
}

/** Gemini calls its models `models/NAME`. */
function namesIn(list: z.output<typeof lists>): string[] {
	const entries = "data" in list ? (list.data ?? []) : list.models;
	return entries.flatMap(({ id, name }) => (id ?? name ?? "").replace(/^models\//, "") || []);
}

function reasonOf(cause: unknown): string {
	return cause instanceof Error ? cause.message.split("\n", 1)[0] || cause.name : String(cause);
}
