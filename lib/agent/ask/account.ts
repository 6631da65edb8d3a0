/** Writes down what a model call used and cost. */

import type { TokenUsage } from "../../base/conversation.ts";
import type { ModelChunk } from "../../providers/provider.ts";
import type { Conversation } from "../conversation.ts";
import type { ModelRoute } from "../routes.ts";
import { addUsage, noUsage } from "../tally.ts";
import type { Turn } from "../turn.ts";

/** The last chunk of an answer. */
export type FinishedAnswer = Extract<ModelChunk, { type: "finished" }>;

/** The price of a call in millionths of a US dollar; undefined where it is not known. */
export type PriceOf = (usage: TokenUsage, route: Pick<ModelRoute, "model" | "providerId">) => number | undefined;

/** Once for every answer that came, whatever becomes of it: it has to be paid for. */
export function account(conversation: Conversation, turn: Turn, finished: FinishedAnswer): void {
	const { options, routes, spending, sessionId } = conversation;
	const { model, providerId, baseUrl } = routes.current;
	const { tally } = turn;
	const { usage = noUsage, costMicroUsd } = finished;
	const cost = costMicroUsd ?? (finished.usage === undefined ? undefined : options.priceOf?.(usage, routes.current));
	tally.usage = addUsage(tally.usage, usage);
	tally.promptTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens || undefined;
	tally.costMicroUsd = cost === undefined || tally.costMicroUsd === undefined ? undefined : tally.costMicroUsd + cost;
	warnOfUnknownCost(conversation, cost);
	spending.add(usage, cost);
	options.store?.addUsage(sessionId, usage, {
		provider: providerId,
		model,
		...(baseUrl !== undefined && { baseUrl }),
		...(cost !== undefined && { costUsd: cost / 1_000_000 }),
	});
}

/** Once: a limit that cannot be kept must not look as if it were. */
function warnOfUnknownCost({ options, routes, spending }: Conversation, cost: number | undefined): void {
	if (cost !== undefined || !spending.isComplete || spending.limits.maxCostMicroUsd === undefined) return;
	const { model } = routes.current;
	options.emit({
		type: "warning",
		message: `The price of "${model}" is not known: agent.max_cost_usd cannot count its calls (agent.max_total_tokens can)`,
	});
}
