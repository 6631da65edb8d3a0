/** Tokens and costs: sums in the session, and one row a call of a model. */

import type { TokenUsage } from "../base/conversation.ts";
import type { StoredModelCall, UsageStore } from "./store.ts";
import type { Connection } from "./write.ts";

const addTokens = `UPDATE sessions SET api_call_count = api_call_count + 1,
	input_tokens = input_tokens + $inputTokens, output_tokens = output_tokens + $outputTokens,
	cache_read_tokens = cache_read_tokens + $cacheReadTokens, cache_write_tokens = cache_write_tokens + $cacheWriteTokens,
	reasoning_tokens = reasoning_tokens + $reasoningTokens,
	estimated_cost_usd = CASE WHEN $cost IS NULL THEN estimated_cost_usd ELSE coalesce(estimated_cost_usd, 0) + $cost END,
	model = coalesce(model, $model), billing_provider = coalesce(billing_provider, $provider),
	billing_base_url = coalesce(billing_base_url, $baseUrl) WHERE id = $sessionId`;

const addCall = `INSERT INTO model_calls (session_id, timestamp, provider, model, input_tokens, output_tokens,
	cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, task)
	SELECT id, $now, coalesce($provider, billing_provider), coalesce($model, model), $inputTokens, $outputTokens,
	$cacheReadTokens, $cacheWriteTokens, $reasoningTokens, $cost, $task FROM sessions WHERE id = $sessionId`;

const setTokens = `UPDATE sessions SET input_tokens = $inputTokens, output_tokens = $outputTokens,
	cache_read_tokens = $cacheReadTokens, cache_write_tokens = $cacheWriteTokens, reasoning_tokens = $reasoningTokens
	WHERE id = $sessionId`;

/** The five counters of a row. */
export interface TokenColumns {
	readonly input_tokens: number;
	readonly output_tokens: number;
	readonly cache_read_tokens: number;
	readonly cache_write_tokens: number;
	readonly reasoning_tokens: number;
}

interface CallRow extends TokenColumns {
	readonly timestamp: number;
	readonly provider: string | null;
	readonly model: string | null;
	readonly cost_usd: number | null;
	readonly task: string | null;
}

/** The counters of `row`. */
export function usageOf(row: TokenColumns): TokenUsage {
	return {
		inputTokens: row.input_tokens,
		outputTokens: row.output_tokens,
		cacheReadTokens: row.cache_read_tokens,
		cacheWriteTokens: row.cache_write_tokens,
		reasoningTokens: row.reasoning_tokens,
	};
}

/** The part of the store that is about tokens and costs. */
export function createUsage({ database, write, read }: Connection): UsageStore {
	return {
		addUsage(sessionId, usage, call = {}) {
			const common = { sessionId, provider: call.provider ?? null, model: call.model ?? null };
			const values = { ...countersOf(usage), ...common, cost: call.costUsd ?? null };
			write(() => {
				const { changes } = database.query(addTokens).run({ ...values, baseUrl: call.baseUrl ?? null });
				// An UPDATE that meets no row is a silent loss.
				if (changes === 0) throw new Error(`Cannot add usage to session "${sessionId}": no such session`);
				database.query(addCall).run({ ...values, task: call.task ?? null, now: Date.now() / 1000 });
			});
		},
		setUsage(sessionId, usage) {
			const { changes } = write(() => database.query(setTokens).run({ ...countersOf(usage), sessionId }));
			if (changes === 0) throw new Error(`Cannot set the usage of session "${sessionId}": no such session`);
		},
		listModelCalls(sessionId) {
			return read(() =>
				database
					.query<CallRow, { sessionId: string }>("SELECT * FROM model_calls WHERE session_id = $sessionId ORDER BY id")
					.all({ sessionId })
					.map(callOf),
			);
		},
	};
}

/** Named one by one: a field that a provider adds is no parameter of the statement. */
function countersOf(usage: TokenUsage) {
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
	return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens };
}

function callOf(row: CallRow): StoredModelCall {
	const { timestamp, provider, model, task } = row;
	return { timestamp, provider, model, task, usage: usageOf(row), costUsd: row.cost_usd };
}
