/** A client for any OpenAI-compatible chat-completions endpoint. */

import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { ModelChunk, ModelClient, ModelRequest } from "../provider.ts";
import { wireMessages, wireTools } from "./chat-messages.ts";
import type { ChatQuirks } from "./chat-quirks.ts";
import { isChatPart, readChat } from "./chat-stream.ts";
import { exchange } from "./exchange.ts";
import { keyHeader, openAiClient } from "./openai-client.ts";
import type { WireSettings } from "./wire-settings.ts";

/** Nothing is sent before the first request. */
export async function openChatClient(settings: WireSettings, quirks: ChatQuirks = {}): Promise<ModelClient> {
	return {
		complete: (request, caller) =>
			exchange(
				settings,
				{ request, caller },
				{
					wire: "chat-completions",
					headers: keyHeader(settings),
					ask: async (fetch, signal) => {
						const client = await openAiClient(settings, fetch);
						return client.chat.completions.create(requestBody(request, settings, quirks), { signal });
					},
					endMark: "[DONE]",
					read: (events, isMarkedEnd) =>
						readChat(events, {
							isMarkedEnd,
							provider: settings.provider,
							salt: String(request.messages.length),
							keepsReasoning: quirks.echoesReasoning?.(request.model) === true,
						}),
					isPart: isChatPart,
				},
			),
	} satisfies { complete(request: ModelRequest, caller: AbortSignal): AsyncGenerator<ModelChunk> };
}

/** Fields always stand in the same order: caches go by the bytes. */
function requestBody(
	request: ModelRequest,
	{ provider, cacheTtl }: WireSettings,
	quirks: ChatQuirks,
): ChatCompletionCreateParamsStreaming {
	const { model, tools, toolChoice, maxOutputTokens } = request;
	const limit = Math.min(
		maxOutputTokens ?? Number.POSITIVE_INFINITY,
		quirks.mostOutputTokens ?? Number.POSITIVE_INFINITY,
	);
	return {
		model,
		messages: wireMessages(request, { provider, model, quirks, ...(cacheTtl !== undefined && { cacheTtl }) }),
		...(tools.length > 0 && { tools: wireTools(tools), ...(toolChoice && { tool_choice: toolChoice }) }),
		...(Number.isFinite(limit) && { [quirks.outputLimit ?? "max_tokens"]: limit }),
		...quirks.extraBody?.(request),
		stream: true,
		...(quirks.asksUsage !== false && { stream_options: { include_usage: true } }),
	};
}
