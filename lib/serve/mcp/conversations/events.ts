/** What is said while a client listens: rows of the store are the events and their ids the cursors, so that nothing is lost. */

import { setTimeout as wait } from "node:timers/promises";
import type { Store, StoredMessage } from "../../../store/store.ts";
import { conversationOf, isSaid, keyOf, type Redact, shownMessage } from "./conversations.ts";

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

	const poll: ConversationEvents["poll"] = ({ after, sessionKey, limit }) => {
		const wanted = sessionKey === undefined ? undefined : keyOf(store, conversationOf(store, sessionKey).id);
		const events: ShownEvent[] = [];
		let cursor = after === 0 ? start : after;
		for (const row of rowsAfter(store, cursor)) {
			if (events.length === limit) break;
			cursor = row.id;
			const event = eventOf(store, { ...row, redact });
			if (event !== undefined && (wanted === undefined || event.session_key === wanted)) events.push(event);
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

interface Row {
	readonly id: number;
	readonly sessionId: string;
}

/** All of them, a page at a time. */
function* rowsAfter(store: Store, cursor: number): Generator<Row> {
	let after = cursor;
	for (;;) {
		const rows = store.read((database) =>
			database
				.query<Row, { after: number; rowsAtOnce: number }>(
					`SELECT id, session_id AS sessionId FROM messages
					WHERE id > $after AND active = 1 AND role IN ('user', 'assistant') ORDER BY id LIMIT $rowsAtOnce`,
				)
				.all({ after, rowsAtOnce }),
		);
		yield* rows;
		after = rows.at(-1)?.id ?? after;
		if (rows.length < rowsAtOnce) return;
	}
}

/** Nothing for what was not said just now: what a branch or a compression has copied, and what sub-agents say to each other. */
function eventOf(store: Store, { id, sessionId, redact }: Row & { readonly redact: Redact }): ShownEvent | undefined {
	const kind = store.kindOf(sessionId);
	if (kind === undefined || kind === "delegate") return undefined;
	// Without what a compression has carried over.
	const messages = kind === "continuation" ? store.listChainMessages(sessionId) : store.listMessages(sessionId);
	const found = messages.find((message) => message.id === id);
	const began = store.getSession(sessionId)?.startedAt ?? 0;
	if (found === undefined || !isSaid(found) || (kind === "branch" && found.timestamp < began)) return undefined;
	return shownEvent(store, { sessionId, found, redact });
}

function shownEvent(
	store: Store,
	{ sessionId, found, redact }: { readonly sessionId: string; readonly found: StoredMessage; readonly redact: Redact },
): ShownEvent {
	const { id, role, content, timestamp } = shownMessage(found, redact, longestContent);
	const session_key = keyOf(store, sessionId);
	return { cursor: id, type: "message", session_key, message_id: id, role, content, timestamp };
}
