/** What one turn has used so far. */

import type { TokenUsage } from "../base/conversation.ts";

/** Counts of one turn; the turn's steps add to it. */
export interface Tally {
	modelCalls: number;
	deniedCalls: number;
	usage: TokenUsage;
	/** Millionths of a US dollar; undefined as soon as the cost of one call is not known. */
	costMicroUsd: number | undefined;
	/** Tokens of the last request, as the provider counted them. */
	promptTokens: number | undefined;
}

/** The usage of a call whose provider tells none. */
export const noUsage: TokenUsage = {
	inputTokens: 0,
	outputTokens: 0,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
	reasoningTokens: 0,
};

/** A turn that has done nothing yet. */
export function emptyTally(): Tally {
	return { modelCalls: 0, deniedCalls: 0, usage: noUsage, costMicroUsd: 0, promptTokens: undefined };
}

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
