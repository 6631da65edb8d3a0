/** What a call cost. */

import type { TokenUsage } from "../../base/conversation.ts";
import type { Price, Rates } from "./family-table.ts";

/**
 * Millionths of a US dollar, rounded up; undefined when tokens were counted that have no price. Thinking is part of the output
 * that is counted already.
 */
export function costMicroUsd(usage: TokenUsage, price: Price): number | undefined {
	const rates = ratesFor(usage, price);
	const parts: readonly (readonly [number, number | undefined])[] = [
		[usage.inputTokens, rates.input],
		[usage.outputTokens, rates.output],
		[usage.cacheReadTokens, rates.cacheRead],
		[usage.cacheWriteTokens, rates.cacheWrite],
	];
	let sum = 0n;
	for (const [tokens, perMillion] of parts) {
		if (tokens === 0) continue;
		if (perMillion === undefined) return undefined;
		sum += BigInt(Math.round(tokens)) * BigInt(perMillion);
	}
	return Number((sum + 999_999n) / 1_000_000n);
}

/** What is read from and written to a cache is a part of the question. */
function ratesFor({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage, price: Price): Rates {
	const asked = inputTokens + cacheReadTokens + cacheWriteTokens;
	const longer = (price.above ?? []).filter(({ tokens }) => asked > tokens);
	return longer.reduce<Rates & { readonly tokens: number }>(
		(longest, each) => (each.tokens > longest.tokens ? each : longest),
		{ ...price, tokens: 0 },
	);
}
