/** What a session is to its parent, as SQL, and where a compressed conversation goes on. */

import type { Connection } from "./write.ts";

/** Chains are not followed further: a loop in the data must not become one of ours. */
export const deepestChain = 100;

/**
 * An expression that gives the `SessionKind` of the row `child`. A branch says so in `model_config`, or, when it is old, by
 * the end of its parent; a continuation began when its parent had ended for compression.
 */
export function kindWithParent(child: string): string {
	const has = (key: string) =>
		`CASE WHEN json_valid(${child}.model_config) THEN json_extract(${child}.model_config, '$.${key}') END IS NOT NULL`;
	return `CASE WHEN ${has("_delegate_from")} THEN 'delegate'
		WHEN ${has("_branched_from")} THEN 'branch'
		WHEN ${child}.parent_session_id IS NULL THEN 'root'
		ELSE coalesce((SELECT CASE
			WHEN ${child}.source IN ('subagent', 'tool') THEN 'delegate'
			WHEN parent.end_reason = 'compression' AND ${child}.started_at >= parent.ended_at THEN 'continuation'
			WHEN parent.end_reason = 'branched' AND ${child}.started_at >= parent.ended_at THEN 'branch'
			ELSE 'other' END FROM sessions AS parent WHERE parent.id = ${child}.parent_session_id), 'root') END`;
}

const continuation = `SELECT id FROM sessions AS child WHERE parent_session_id = $id
	AND ${kindWithParent("child")} = 'continuation' ORDER BY started_at DESC, rowid DESC LIMIT 1`;

/** The newest continuation after `sessionId`; itself when there is none. */
export function continuationOf({ database }: Connection, sessionId: string): string {
	const next = database.query<{ id: string }, { id: string }>(continuation);
	let tip = sessionId;
	for (let depth = 0; depth < deepestChain; depth++) {
		const found = next.get({ id: tip });
		if (found === null) return tip;
		tip = found.id;
	}
	return tip;
}
