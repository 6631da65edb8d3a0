/** A client for any endpoint that speaks Anthropic's messages. */

import type Anthropic from "@anthropic-ai/sdk";
import type { ModelClient, ModelRequest } from "../provider.ts";
import { anthropicConversation, anthropicTools } from "./anthropic-messages.ts";
import { anthropicOutputLimit, plainName, thinkingFields } from "./anthropic-models.ts";
import { isAnthropicPart, readAnthropic } from "./anthropic-stream.ts";
import { exchange } from "./exchange.ts";
import type { Fetch } from "./transport.ts";
import type { WireSettings } from "./wire-settings.ts";

/** In what a service departs from Anthropic's own. */
export interface AnthropicQuirks {
	/** Whether the service keeps marked parts of a prompt. True when left out. */
	readonly marksCache?: boolean;
	/** Whether the key is a bearer token, and not in a header of its own. */
	readonly takesBearer?: boolean;
	/** Whether model names stay as the user writes them. */
	readonly keepsNames?: boolean;
}

/** The version of the wire that this client speaks. */
const version = "2023-06-01";

/** Nothing is sent before the first request. */
export async function openAnthropicClient(settings: WireSettings, quirks: AnthropicQuirks = {}): Promise<ModelClient> {
	return {
		complete: (request, caller) =>
			exchange(
				settings,
				{ request, caller },
				{
					wire: "anthropic-messages",
					headers: { ...headersOf(settings, quirks), ...fastHeader(request) },
					ask: async (fetch, signal) => {
						const client = await anthropicClient(settings, fetch);
						const body = requestBody(request, settings, quirks);
						return client.post<AsyncIterable<unknown>>("/v1/messages", { body, signal, stream: true });
					},
					read: (events) => readAnthropic(events, settings.provider),
					isPart: isAnthropicPart,
					// The SDK passes on only events whose names it knows; what is in them it leaves to us.
					wholeEvent: "message_start",
				},
			),
	};
}

function headersOf(
	{ apiKey, keyHeader = "x-api-key" }: WireSettings,
	{ takesBearer }: AnthropicQuirks,
): Readonly<Record<string, string>> {
	const key = takesBearer === true ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey ?? "" };
	return { "anthropic-version": version, ...(apiKey !== undefined && key) };
}

/** Without it some models refuse to be told how fast they should be. */
function fastHeader({ extraBody }: ModelRequest): Readonly<Record<string, string>> {
	return extraBody?.speed === undefined ? {} : { "anthropic-beta": "fast-mode-2026-02-01" };
}

/** The SDK, kept from everything that it would take from the environment or do on its own. */
async function anthropicClient({ baseUrl, apiKey }: WireSettings, fetch: Fetch): Promise<Anthropic> {
	const { Anthropic } = await import("@anthropic-ai/sdk");
	return new Anthropic({
		baseURL: baseUrl,
		apiKey: apiKey ?? "none",
		authToken: null,
		webhookKey: null,
		fetch,
		maxRetries: 0,
		logLevel: "off",
		timeout: 2 ** 31 - 1,
	});
}

function requestBody(
	request: ModelRequest,
	{ provider, cacheTtl }: WireSettings,
	{ marksCache, keepsNames }: AnthropicQuirks,
) {
	const { model, tools, toolChoice, maxOutputTokens, effort } = request;
	const ttl = marksCache === false ? undefined : (cacheTtl ?? "5m");
	const { system, messages: spoken } = anthropicConversation(request, { provider, cacheTtl: ttl });
	const { budget, ...thinking } = thinkingFields(model, effort);
	const most = anthropicOutputLimit(model);
	// Thinking counts as part of the answer, and must leave room for it.
	const limit = Math.min(most, Math.max(maxOutputTokens ?? most, budget === 0 ? 1 : budget + 4096));
	return {
		model: keepsNames === true ? model : plainName(model),
		max_tokens: limit,
		...(system.length > 0 && { system }),
		messages: spoken,
		...(tools.length > 0 && {
			tools: anthropicTools(tools),
			...(toolChoice && { tool_choice: { type: toolChoice } }),
		}),
		...thinking,
		stream: true,
	};
}
