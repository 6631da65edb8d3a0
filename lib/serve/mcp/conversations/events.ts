/** What is said while a client listens: rows of the store are the events and their ids the cursors, so that nothing is lost. */

import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "../../../store/store.ts";
import { conversationOf, keyOf, type Redact, type SaidMessage, shownMessage } from "./conversations.ts";

/** Characters of one message in an event. */
const longestContent = 500;
/** SQLite tells nobody of what other processes write: it has to be asked. */
const lookEveryMs = 200;
/** Rows that one look takes in. */
const rowsAtOnce = 1_000;

/** One event. */
export interface ShownEvent {
	readonly cursor: number;
	readonly type: "message";
	readonly session_key: string;
	readonly message_id: number;
	readonly role: string;
	readonly content: string;
	readonly timestamp: string;
}

/** Which events. */
export interface EventFilter {
	/** Only later ones; 0 is the moment in which the server started. */
	readonly after: number;
	readonly sessionKey: string | undefined;
	readonly limit: number;
}

/** The events of one server. */
export interface ConversationEvents {
	/** Those that are there. @throws {CallRefused} When there is no such conversation. */
	poll(filter: EventFilter): { readonly events: readonly ShownEvent[]; readonly next_cursor: number };
	/** The next one; nothing when the time is over or `signal` aborts. @throws {CallRefused} As `poll`. */
	wait(
		filter: Omit<EventFilter, "limit">,
		options: { readonly timeoutMs: number; readonly signal: AbortSignal },
	): Promise<{ readonly event: ShownEvent | null; readonly reason: "event" | "timeout"; readonly next_cursor: number }>;
}

/** From now on. */
export function openEvents(store: Store, redact: Redact): ConversationEvents {
	const start = lastRow(store);
	const isNews = createNewsCheck(store);

	const poll: ConversationEvents["poll"] = ({ after, sessionKey, limit }) => {
		const wanted = sessionKey && keyOf(store, conversationOf(store, sessionKey).id);
		const events: ShownEvent[] = [];
		let cursor = after === 0 ? start : after;
		for (const row of rowsAfter(store, cursor)) {
			if (events.length === limit) break;
			cursor = row.id;
			if (!isNews(row)) continue;
			const key = keyOf(store, row.sessionId);
			if (wanted === undefined || key === wanted) events.push(shownEvent(row, key, redact));
		}
		return { events, next_cursor: cursor };
	};

	return {
		poll,
		async wait({ after, sessionKey }, { timeoutMs, signal }) {
			const until = performance.now() + timeoutMs;
			let cursor = after;
			for (let seen: number | undefined; ; ) {
				const version = dataVersion(store);
				if (version !== seen) {
					const { events, next_cursor } = poll({ after: cursor, sessionKey, limit: 1 });
					const [event] = events;
					cursor = next_cursor;
					if (event !== undefined) return { event, reason: "event", next_cursor };
				}
				seen = version;
				const left = until - performance.now();
				if (left <= 0 || signal.aborted) return { event: null, reason: "timeout", next_cursor: cursor };
				await wait(Math.min(left, lookEveryMs), undefined, { signal }).catch(() => undefined);
			}
		},
	};
}

/** Changes whenever another process has written. */
function dataVersion(store: Store): number {
	const row = store.read((database) => database.query<{ data_version: number }, []>("PRAGMA data_version").get());
	return row?.data_version ?? 0;
}

function lastRow(store: Store): number {
	const row = store.read((database) =>
		database.query<{ id: number | null }, []>("SELECT max(id) AS id FROM messages").get(),
	);
	return row?.id ?? 0;
}

interface Row extends SaidMessage {
	readonly sessionId: string;
}

/** What persons and models said, all of it, a page at a time; no summary, and no note of hermes itself. */
function* rowsAfter(store: Store, cursor: number): Generator<Row> {
	let after = cursor;
	for (;;) {
		const rows = store.read((database) =>
			database
				.query<Row, { after: number; rowsAtOnce: number }>(
					`SELECT id, session_id AS sessionId, role, content, timestamp FROM messages
					WHERE id > $after AND active = 1 AND role IN ('user', 'assistant') AND trim(coalesce(content, '')) <> ''
					AND CASE WHEN json_valid(extra) THEN json_extract(extra, '$.origin') END IS NULL ORDER BY id LIMIT $rowsAtOnce`,
				)
				.all({ after, rowsAtOnce }),
		);
		yield* rows;
		after = rows.at(-1)?.id ?? after;
		if (rows.length < rowsAtOnce) return;
	}
}

/** Whether it was said just now: nothing that a branch or a compression has copied, nor what sub-agents say to each other. */
function createNewsCheck(store: Store): (row: Row) => boolean {
	// What is carried over is written together with its session, and does not change any more.
	const carried = new Map<string, ReadonlySet<number>>();
	return ({ id, sessionId, timestamp }) => {
		const kind = store.kindOf(sessionId);
		if (kind === "branch") return timestamp >= (store.getSession(sessionId)?.startedAt ?? 0);
		if (kind !== "continuation") return kind !== undefined && kind !== "delegate";
		const known = carried.get(sessionId) ?? carriedOver(store, sessionId);
		carried.set(sessionId, known);
		return !known.has(id);
	};
}

function carriedOver(store: Store, sessionId: string): ReadonlySet<number> {
	const own = new Set(store.listChainMessages(sessionId).map(({ id }) => id));
	const all = store.listMessages(sessionId).map(({ id }) => id);
	return new Set(all.filter((id) => !own.has(id)));
}

function shownEvent(row: Row, session_key: string, redact: Redact): ShownEvent {
	const { id, role, content, timestamp } = shownMessage(row, redact, longestContent);
	return { cursor: id, type: "message", session_key, message_id: id, role, content, timestamp };
}
