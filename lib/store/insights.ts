/** What the sessions of a time tell about how hermes is used. */

import { z } from "zod";
import type { Store } from "./store.ts";

/** All of it; sub-agents count with what they did. */
export interface Insights {
	readonly sessions: number;
	/** What the user said, not counting what programs said in his place. */
	readonly questions: number;
	readonly toolCalls: number;
	/** Called most first. */
	readonly tools: readonly { readonly name: string; readonly calls: number }[];
	/** Where sessions began: cli, telegram, …; most first. */
	readonly sources: readonly { readonly source: string; readonly sessions: number }[];
	/** Questions by hour of the day, 0 to 23, by the clock of this machine. */
	readonly hours: readonly number[];
	/** The sessions with most calls of tools. */
	readonly longest: readonly { readonly id: string; readonly title: string | null; readonly toolCalls: number }[];
}

const count = z.number().int();
const shapes = {
	totals: z.object({ sessions: count }),
	questions: z.object({ hour: count, questions: count }),
	tools: z.object({ name: z.string(), calls: count }),
	sources: z.object({ source: z.string(), sessions: count }),
	longest: z.object({ id: z.string(), title: z.string().nullable(), toolCalls: count }),
};

/** A branch and a compression have copies of messages, with their times: each counts once. */
const queries = {
	totals: "SELECT count(*) AS sessions FROM sessions WHERE started_at >= $since AND message_count > 0",
	questions: `SELECT cast(strftime('%H', timestamp, 'unixepoch', 'localtime') AS INTEGER) AS hour, count(DISTINCT timestamp) AS questions
		FROM messages WHERE role = 'user' AND active = 1 AND timestamp >= $since GROUP BY hour`,
	tools: `SELECT tool_name AS name, count(DISTINCT timestamp || tool_call_id) AS calls FROM messages
		WHERE role = 'tool' AND tool_name IS NOT NULL AND timestamp >= $since GROUP BY name ORDER BY calls DESC, name LIMIT 50`,
	sources: `SELECT source, count(*) AS sessions FROM sessions WHERE started_at >= $since AND message_count > 0
		GROUP BY source ORDER BY sessions DESC, source`,
	longest: `SELECT id, title, tool_call_count AS toolCalls FROM sessions WHERE started_at >= $since AND tool_call_count > 0
		ORDER BY tool_call_count DESC, id LIMIT 5`,
};

/** What happened at `since` or later; seconds since 1970. */
export function insightsSince(store: Pick<Store, "read">, since: number): Insights {
	return store.read((database) => {
		const rows = <K extends keyof typeof shapes>(name: K): z.output<(typeof shapes)[K]>[] => {
			const found = database.query<unknown, { since: number }>(queries[name]).all({ since });
			return z.array(shapes[name]).parse(found) as z.output<(typeof shapes)[K]>[];
		};
		const byHour = new Map(rows("questions").map(({ hour, questions }) => [hour, questions]));
		const hours = Array.from({ length: 24 }, (_, hour) => byHour.get(hour) ?? 0);
		const tools = rows("tools");
		return {
			sessions: rows("totals")[0]?.sessions ?? 0,
			questions: hours.reduce((sum, number) => sum + number, 0),
			toolCalls: tools.reduce((sum, { calls }) => sum + calls, 0),
			tools,
			sources: rows("sources"),
			hours,
			longest: rows("longest"),
		};
	});
}
