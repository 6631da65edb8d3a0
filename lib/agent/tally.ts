/** What one turn has used so far. */

import type { TokenUsage } from "../base/conversation.ts";

/** Counts of one turn; the turn's steps add to it. */
export interface Tally {
	modelCalls: number;
	deniedCalls: number;
	usage: TokenUsage;
}

/** The usage of a call whose provider tells none. */
export const noUsage: TokenUsage = {
	inputTokens: 0,
	outputTokens: 0,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
	reasoningTokens: 0,
};

/** Both together. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
	return {
		inputTokens: one.inputTokens + other.inputTokens,
		outputTokens: one.outputTokens + other.outputTokens,
		cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
		cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
		reasoningTokens: one.reasoningTokens + other.reasoningTokens,
	};
}
