/** What a call cost. */

import type { TokenUsage } from "../../base/conversation.ts";
import type { Price } from "./family-table.ts";

/**
 * Millionths of a US dollar, rounded up; undefined when tokens were counted that have no price. Thinking is part of the output
 * that is counted already.
 */
export function costMicroUsd(usage: TokenUsage, price: Price): number | undefined {
	const parts: readonly (readonly [number, number | undefined])[] = [
		[usage.inputTokens, price.input],
		[usage.outputTokens, price.output],
		[usage.cacheReadTokens, price.cacheRead],
		[usage.cacheWriteTokens, price.cacheWrite],
	];
	let sum = 0n;
	for (const [tokens, perMillion] of parts) {
		if (tokens === 0) continue;
		if (perMillion === undefined) return undefined;
		sum += BigInt(Math.round(tokens)) * BigInt(perMillion);
	}
	return Number((sum + 999_999n) / 1_000_000n);
}
