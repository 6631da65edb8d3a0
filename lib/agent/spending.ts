/** What a conversation has cost so far, in money and tokens, and whether it may cost more. */

import type { TokenUsage } from "../base/conversation.ts";

/** Left out where there is no limit. */
export interface SpendingLimits {
	readonly maxCostMicroUsd?: number;
	readonly maxTotalTokens?: number;
}

/** What was spent before, for a conversation that goes on. */
export interface Spent {
	readonly costMicroUsd: number;
	readonly tokens: number;
}

/** Shared by a conversation and its sub-agents. */
export interface Spending extends Spent {
	/** A cost that is not known counts as nothing; `isComplete` says so from then on. */
	add(usage: TokenUsage, costMicroUsd: number | undefined): void;
	/** The cost of every call was known. */
	readonly isComplete: boolean;
	readonly limits: SpendingLimits;
}

/** Thrown before a model call that the limits do not allow any more. */
export class SpendingLimitReached extends Error {
	override readonly name = "SpendingLimitReached";
	/** `cost_limit` or `token_limit`. */
	readonly reason: "cost_limit" | "token_limit";

	constructor(reason: "cost_limit" | "token_limit", message: string) {
		super(message);
		this.reason = reason;
	}
}

/** A tally that begins with `before`. */
export function createSpending(limits: SpendingLimits = {}, before: Spent = { costMicroUsd: 0, tokens: 0 }): Spending {
	let { costMicroUsd, tokens } = before;
	let isComplete = true;
	return {
		limits,
		get costMicroUsd() {
			return costMicroUsd;
		},
		get tokens() {
			return tokens;
		},
		get isComplete() {
			return isComplete;
		},
		add(usage, cost) {
			tokens += totalTokens(usage);
			if (cost === undefined) isComplete = false;
			else costMicroUsd += cost;
		},
	};
}

/** All tokens of a call; those of reasoning are part of the output. */
export function totalTokens(usage: TokenUsage): number {
	return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** @throws {SpendingLimitReached} When one of the limits is used up. */
export function requireWithinLimits({ costMicroUsd, tokens, limits }: Spending): void {
	const { maxCostMicroUsd = Number.POSITIVE_INFINITY, maxTotalTokens = Number.POSITIVE_INFINITY } = limits;
	if (costMicroUsd >= maxCostMicroUsd) {
		const spent = `it has cost $${dollars(costMicroUsd)} of $${dollars(maxCostMicroUsd)}`;
		throw new SpendingLimitReached("cost_limit", `Cannot go on with the session: ${spent} (agent.max_cost_usd)`);
	}
	if (tokens >= maxTotalTokens) {
		const spent = `it has used ${tokens} of ${maxTotalTokens} tokens`;
		throw new SpendingLimitReached("token_limit", `Cannot go on with the session: ${spent} (agent.max_total_tokens)`);
	}
}

function dollars(microUsd: number): string {
	return (microUsd / 1_000_000).toFixed(microUsd < 10_000 ? 4 : 2);
}
