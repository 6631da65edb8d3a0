/** What was used, by model and by day, out of the calls that the store has. */

import type { Database } from "bun:sqlite";
import type { TokenUsage } from "../base/conversation.ts";
import { kindWithParent } from "./lineage-rules.ts";
import type { Store } from "./store.ts";
import { type TokenColumns, usageOf } from "./usage.ts";

/** Calls that belong together, with their sums. */
export interface UsedBy {
	readonly model: string | null;
	readonly provider: string | null;
	readonly calls: number;
	readonly usage: TokenUsage;
	/** What the calls of a known price have cost. */
	readonly costUsd: number;
	/** Calls whose price nobody knows. */
	readonly unpricedCalls: number;
}

/** The same of one day. */
export interface UsedOn extends Omit<UsedBy, "model" | "provider"> {
	/** `2026-03-05`, by the clock of this machine. */
	readonly day: string;
}

/** The same of one purpose: a side task by its name, or what is in `conversationTask` and `subagentTask`. */
export interface UsedFor extends Omit<UsedBy, "model" | "provider"> {
	readonly task: string;
}

/** The name of what the user talks to. */
export const conversationTask = "conversation";
/** The name of what was handed out; summaries of sub-agents count as summaries. */
const subagentTask = "subagents";

/** All of it. */
export interface UsageReport {
	readonly sessions: number;
	/** What used most comes first. */
	readonly models: readonly UsedBy[];
	/** Oldest first. */
	readonly days: readonly UsedOn[];
	/** The conversation first, then what used most. */
	readonly tasks: readonly UsedFor[];
}

/** Sessions of other programs have no rows for their calls, only sums; they count with these, at their beginning. */
const calls = `
	SELECT session_id, timestamp, provider, model, 1 AS calls, input_tokens, output_tokens, cache_read_tokens,
		cache_write_tokens, reasoning_tokens, cost_usd, task FROM model_calls
	UNION ALL
	SELECT id, started_at, billing_provider, model, api_call_count, input_tokens, output_tokens, cache_read_tokens,
		cache_write_tokens, reasoning_tokens, coalesce(actual_cost_usd, estimated_cost_usd), NULL FROM sessions
	WHERE api_call_count > 0 AND id NOT IN (SELECT session_id FROM model_calls)`;

const sums = `sum(calls) AS calls, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
	sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
	sum(reasoning_tokens) AS reasoning_tokens, coalesce(sum(cost_usd), 0) AS cost_usd,
	sum(CASE WHEN cost_usd IS NULL THEN calls ELSE 0 END) AS unpriced_calls`;

interface SumRow extends TokenColumns {
	readonly calls: number;
	readonly cost_usd: number;
	readonly unpriced_calls: number;
}

/** Calls made at `since` or later; seconds since 1970. */
export function usageReport(store: Pick<Store, "read">, since: number): UsageReport {
	return store.read((database) => {
		const part = `FROM (${calls}) WHERE timestamp >= $since`;
		const models = database
			.query<SumRow & { model: string | null; provider: string | null }, { since: number }>(
				`SELECT provider, model, ${sums} ${part} GROUP BY provider, model
				ORDER BY sum(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens) DESC, provider, model`,
			)
			.all({ since });
		const days = database
			.query<SumRow & { day: string }, { since: number }>(
				`SELECT date(timestamp, 'unixepoch', 'localtime') AS day, ${sums} ${part} GROUP BY day ORDER BY day`,
			)
			.all({ since });
		const counted = database
			.query<{ count: number }, { since: number }>(`SELECT count(DISTINCT session_id) AS count ${part}`)
			.get({ since });
		return {
			sessions: counted?.count ?? 0,
			tasks: tasksIn(database, "timestamp >= $since", { since }),
			models: models.map((row) => ({ model: row.model, provider: row.provider, ...sumsOf(row) })),
			days: days.map((row) => ({ day: row.day, ...sumsOf(row) })),
		};
	});
}

/** What the session has used, with all that it was before compressions and all that it has handed out. */
export function sessionReport(
	store: Pick<Store, "read" | "chainOf" | "kindOf">,
	sessionId: string,
): readonly UsedFor[] {
	return store.read((database) => {
		const chain = store.chainOf(sessionId);
		const first = chain.findLast((id) => store.kindOf(id) !== "continuation") ?? sessionId;
		return tasksIn(database, `session_id IN (${family})`, { first });
	});
}

const family = `WITH RECURSIVE family(id) AS (SELECT $first UNION SELECT child.id FROM sessions AS child
	JOIN family ON child.parent_session_id = family.id WHERE ${kindWithParent("child")} IN ('continuation', 'delegate'))
	SELECT id FROM family`;

const delegates = `SELECT id FROM sessions AS child WHERE ${kindWithParent("child")} = 'delegate'`;

function tasksIn(database: Database, where: string, values: Record<string, string | number>): readonly UsedFor[] {
	const purpose = `CASE WHEN task IS NOT NULL THEN task WHEN session_id IN (${delegates}) THEN '${subagentTask}'
		ELSE '${conversationTask}' END`;
	return database
		.query<SumRow & { purpose: string }, Record<string, string | number>>(
			`SELECT ${purpose} AS purpose, ${sums} FROM (${calls}) WHERE ${where} GROUP BY purpose
			ORDER BY purpose <> '${conversationTask}', sum(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens) DESC, purpose`,
		)
		.all(values)
		.map((row) => ({ task: row.purpose, ...sumsOf(row) }));
}

function sumsOf(row: SumRow) {
	return { calls: row.calls, usage: usageOf(row), costUsd: row.cost_usd, unpricedCalls: row.unpriced_calls };
}
