/** A client for any endpoint that speaks OpenAI's Responses. */

import type { ModelClient, ModelRequest, ReasoningEffort, ToolDefinition } from "../provider.ts";
import { exchange } from "./exchange.ts";
import { keyHeader, openAiClient } from "./openai-client.ts";
import { responsesConversation, responsesTools } from "./responses-input.ts";
import { isResponsesPart, readResponses } from "./responses-stream.ts";
import type { WireSettings } from "./wire-settings.ts";

/** In what a service departs from OpenAI's own. */
export interface ResponsesQuirks {
	/** Whether the answer may be limited. True when left out. */
	readonly limitsOutput?: boolean;
	/** Whether the conversation is named to the service's cache in the body. True when left out. */
	readonly cacheKey?: boolean;
	/** Headers that depend on the request. */
	headers?(request: ModelRequest): Readonly<Record<string, string>>;
	/** The tools in a form that the service accepts. */
	tools?(tools: readonly ToolDefinition[]): readonly ToolDefinition[];
	/** Whether `model` can be told how much to think. True for all when left out. */
	takesEffort?(model: string): boolean;
}

/** Nothing is sent before the first request. */
export async function openResponsesClient(settings: WireSettings, quirks: ResponsesQuirks = {}): Promise<ModelClient> {
	return {
		complete: (request, caller) =>
			exchange(
				settings,
				{ request, caller },
				{
					wire: "responses",
					headers: { ...keyHeader(settings), ...quirks.headers?.(request) },
					ask: async (fetch, signal) => {
						const client = await openAiClient(settings, fetch);
						const body = requestBody(request, settings, quirks);
						return client.post<AsyncIterable<unknown>>("/responses", { body, signal, stream: true });
					},
					read: (events) => readResponses(events, settings.provider),
					isPart: isResponsesPart,
				},
			),
	};
}

const efforts: Readonly<Record<ReasoningEffort, string>> = {
	none: "none",
	minimal: "low",
	low: "low",
	medium: "medium",
	high: "high",
	xhigh: "xhigh",
};

/** Nothing is stored at the service: each request carries all of the conversation, encrypted reasoning included. */
function requestBody(request: ModelRequest, { provider }: WireSettings, quirks: ResponsesQuirks) {
	const { model, tools, toolChoice = "auto", effort, maxOutputTokens, cacheKey } = request;
	const { instructions, input } = responsesConversation(request, provider);
	const takesEffort = effort !== undefined && quirks.takesEffort?.(model) !== false;
	return {
		model,
		...(instructions !== "" && { instructions }),
		input,
		...(tools.length > 0 && {
			tools: responsesTools(quirks.tools?.(tools) ?? tools),
			tool_choice: toolChoice,
			parallel_tool_calls: true,
		}),
		...(takesEffort && {
			reasoning: { effort: efforts[effort], ...(effort !== "none" && { summary: "auto" }) },
		}),
		...(quirks.limitsOutput !== false && maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
		...(quirks.cacheKey !== false && cacheKey !== undefined && { prompt_cache_key: cacheKey }),
		include: ["reasoning.encrypted_content"],
		store: false,
		stream: true,
	};
}
