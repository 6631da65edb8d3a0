/** How full the model's window is: what the provider counted last, and an estimate of what came after it. */

import type { Message } from "../../base/conversation.ts";
import type { CompressRequest } from "../compress.ts";
import { fixedTokens, messagesTokens } from "./estimate.ts";

/** Estimates may be off by this much before they start another compression. */
const tolerance = 4_096;
const tolerantPart = 0.05;

/** A server that counts less than a part of this size of what was sent does not count at all. */
const leastBelievable = 3;

/** What was counted in one conversation. */
export interface Meter {
	/** Tokens of the next request. `isCounted`: at least in part by the provider. */
	measure(request: CompressRequest): { readonly tokens: number; readonly isCounted: boolean };
	/** The conversation is another one now. */
	shortened(tokens: number): void;
	/** It was shortened, nothing was counted since, and it has hardly grown: an estimate is no reason to do it again (#36718). */
	isFresh(tokens: number, threshold: number): boolean;
}

/** Nothing was counted yet. */
export function createMeter(): Meter {
	let counted: { readonly tokens: number; readonly upTo: number; readonly last: Message | undefined } | undefined;
	let afterwards: number | undefined;
	return {
		measure({ messages, promptTokens, systemPrompt, tools }) {
			if (promptTokens !== undefined) {
				// The last answer was no part of the request that it answers.
				const answer = messages.findLastIndex(({ role }) => role === "assistant");
				const upTo = answer < 0 ? messages.length : answer;
				const estimated = fixedTokens(systemPrompt, tools) + messagesTokens(messages.slice(0, upTo));
				const isBelievable = promptTokens * leastBelievable >= estimated;
				counted = isBelievable ? { tokens: promptTokens, upTo, last: messages[upTo - 1] } : undefined;
				if (isBelievable) afterwards = undefined;
			}
			if (counted !== undefined && messages[counted.upTo - 1] === counted.last) {
				return { tokens: counted.tokens + messagesTokens(messages.slice(counted.upTo)), isCounted: true };
			}
			return { tokens: fixedTokens(systemPrompt, tools) + messagesTokens(messages), isCounted: false };
		},
		shortened(tokens) {
			counted = undefined;
			afterwards = tokens;
		},
		isFresh(tokens, threshold) {
			if (afterwards === undefined) return false;
			return tokens - afterwards <= Math.max(tolerance, threshold * tolerantPart);
		},
	};
}
