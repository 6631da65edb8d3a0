/** Tokens and cost of a chat completion, under whatever names the service gives them. */

import type { TokenUsage } from "../../base/conversation.ts";
import type { WireUsage } from "./chat-chunk.ts";

/** Input is what no cache had a part in; services count the cached tokens into their prompt. */
export function tokenUsage(usage: WireUsage): TokenUsage {
	const details = usage.prompt_tokens_details;
	const cacheReadTokens = details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cache_read_input_tokens ?? 0;
	const cacheWriteTokens = details?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? 0;
	return {
		inputTokens: Math.max(0, (usage.prompt_tokens ?? 0) - cacheReadTokens - cacheWriteTokens),
		outputTokens: usage.completion_tokens ?? 0,
		cacheReadTokens,
		cacheWriteTokens,
		reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
	};
}

/** Millionths of a dollar, rounded up: what is spent is never shown as less. */
export function microUsd(dollars: number): number | undefined {
	return Number.isFinite(dollars) && dollars >= 0 ? Math.ceil(Number((dollars * 1e6).toFixed(3))) : undefined;
}
