/** The SDK of OpenAI, kept from everything that it would take from the environment or do on its own. */

import type OpenAI from "openai";
import type { Fetch } from "./transport.ts";
import type { WireSettings } from "./wire-settings.ts";

/** A client for one request: `fetch` belongs to it. */
export async function openAiClient({ baseUrl, apiKey }: WireSettings, fetch: Fetch): Promise<OpenAI> {
	const { OpenAI } = await import("openai");
	return new OpenAI({
		baseURL: baseUrl,
		// The SDK insists on a key; the transport leaves the header out when there is none.
		apiKey: apiKey ?? "none",
		fetch,
		adminAPIKey: null,
		organization: null,
		project: null,
		webhookSecret: null,
		maxRetries: 0,
		logLevel: "off",
		// Longer than any request: the guard against silence decides.
		timeout: 2 ** 31 - 1,
	});
}

/** The header of the key. */
export function keyHeader({ apiKey, keyHeader: name }: WireSettings): Readonly<Record<string, string>> {
	if (apiKey === undefined) return {};
	return name === undefined ? { authorization: `Bearer ${apiKey}` } : { [name]: apiKey };
}
