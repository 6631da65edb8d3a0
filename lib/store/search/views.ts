/** Parts of one session as they are read after a search: around a message, its ends, or a list of sessions. */

import type { Database } from "bun:sqlite";
import { hiddenSources } from "./find-messages.ts";
import { lineageRoot } from "./lineage.ts";
import { contentText } from "./message-text.ts";

/** A message as the views give it. */
export interface ViewedMessage {
	readonly id: number;
	readonly role: string;
	/** Text only, also of content in parts. */
	readonly content: string;
	/** Seconds since 1970. */
	readonly timestamp: number;
	readonly toolName: string | null;
	/** JSON as stored. */
	readonly toolCalls: string | null;
	readonly toolCallId: string | null;
}

/** Messages in a row, and how many there are on both sides of them. */
export interface MessageWindow {
	readonly messages: readonly ViewedMessage[];
	readonly before: number;
	readonly after: number;
}

/** One session in a list of the latest. Times are seconds since 1970. */
export interface BrowsedSession {
	readonly id: string;
	readonly title: string | null;
	readonly source: string;
	readonly startedAt: number;
	readonly lastActive: number;
	readonly messageCount: number;
	/** The beginning of what the user said first. */
	readonly preview: string;
}

interface Row {
	readonly id: number;
	readonly role: string;
	readonly content: string | null;
	readonly timestamp: number;
	readonly tool_name: string | null;
	readonly tool_calls: string | null;
	readonly tool_call_id: string | null;
}

const columns = "id, role, content, timestamp, tool_name, tool_calls, tool_call_id";
const live = "session_id = ? AND active = 1";
const previewLength = 120;

/** Up to `size` messages on each side of the message `anchor`, which is there whatever it is; undefined when it is not of the session. */
export function messagesAround(
	database: Database,
	{ sessionId, anchor, size }: { readonly sessionId: string; readonly anchor: number; readonly size: number },
): MessageWindow | undefined {
	const rows = (side: string, limit: number) =>
		database
			.query<Row, [string, number, number]>(`SELECT ${columns} FROM messages WHERE ${live} AND ${side} LIMIT ?`)
			.all(sessionId, anchor, limit);
	const at = rows("id = ?", 1);
	if (at.length === 0) return undefined;
	const earlier = rows("id < ? ORDER BY id DESC", size).reverse();
	const messages = [...earlier, ...at, ...rows("id > ? ORDER BY id", size)].map(viewed);
	return { messages, ...besides(database, sessionId, messages) };
}

/** The first `head` and the last `tail` messages; `gap` is how many lie between them. */
export function endsOf(
	database: Database,
	{ sessionId, head, tail }: { readonly sessionId: string; readonly head: number; readonly tail: number },
) {
	const first = database
		.query<Row, [string, number]>(`SELECT ${columns} FROM messages WHERE ${live} ORDER BY id LIMIT ?`)
		.all(sessionId, head);
	const last = database
		.query<Row, [string, number, number]>(
			`SELECT ${columns} FROM messages WHERE ${live} AND id > ? ORDER BY id DESC LIMIT ?`,
		)
		.all(sessionId, first.at(-1)?.id ?? 0, tail)
		.reverse();
	const total = count(database, sessionId);
	return { head: first.map(viewed), tail: last.map(viewed), gap: total - first.length - last.length, total };
}

/** The first and last things that user and assistant said; turns of tool calls alone say nothing. */
export function spokenEnds(database: Database, sessionId: string, size: number) {
	const spoken = `SELECT ${columns} FROM messages WHERE ${live} AND role IN ('user', 'assistant') AND trim(coalesce(content, '')) <> ''`;
	const query = (order: string) =>
		database.query<Row, [string, number]>(`${spoken} ORDER BY id ${order} LIMIT ?`).all(sessionId, size);
	return { start: query("ASC").map(viewed), end: query("DESC").reverse().map(viewed) };
}

/** The session that the message belongs to; undefined when there is no such message. */
export function sessionOfMessage(database: Database, messageId: number): string | undefined {
	return (
		database.query<{ session_id: string }, [number]>("SELECT session_id FROM messages WHERE id = ?").get(messageId)
			?.session_id ?? undefined
	);
}

/** What is listed. */
export interface BrowseOptions {
	readonly limit: number;
	/** The conversation of this session is left out. */
	readonly without?: string | undefined;
	/** Surfaces whose sessions count; all but the hidden ones when left out. */
	readonly sources?: readonly string[] | undefined;
}

/** The sessions that were active last, without hidden and archived ones and those in which nothing was said. */
export function browseSessions(database: Database, options: BrowseOptions): readonly BrowsedSession[] {
	const { limit, without, sources } = options;
	const names = sources ?? hiddenSources;
	const rows = database
		.query<Omit<BrowsedSession, "preview"> & { readonly first: string | null }, string[]>(
			`SELECT s.id, s.title, s.source, s.started_at AS startedAt, s.message_count AS messageCount,
				coalesce((SELECT max(timestamp) FROM messages WHERE session_id = s.id AND active = 1), s.started_at) AS lastActive,
				(SELECT content FROM messages WHERE session_id = s.id AND active = 1 AND role = 'user' ORDER BY id LIMIT 1) AS first
			FROM sessions s WHERE s.source ${sources === undefined ? "NOT IN" : "IN"} (${names.map(() => "?").join(", ")})
				AND s.archived = 0 AND s.message_count > 0 ORDER BY lastActive DESC, s.rowid DESC`,
		)
		.all(...names);
	const left = without === undefined ? undefined : lineageRoot(database, without);
	const sessions: BrowsedSession[] = [];
	for (const { first, ...session } of rows) {
		if (sessions.length >= limit) break;
		if (left !== undefined && lineageRoot(database, session.id) === left) continue;
		sessions.push({ ...session, preview: previewOf(first) });
	}
	return sessions;
}

function previewOf(content: string | null): string {
	const line = contentText(content).replace(/\s+/g, " ").trim();
	return line.length > previewLength ? `${line.slice(0, previewLength - 1)}…` : line;
}

function besides(database: Database, sessionId: string, messages: readonly ViewedMessage[]) {
	const counted = (side: string, id: number) =>
		database
			.query<{ n: number }, [string, number]>(`SELECT count(*) AS n FROM messages WHERE ${live} AND id ${side} ?`)
			.get(sessionId, id)?.n ?? 0;
	return { before: counted("<", messages[0]?.id ?? 0), after: counted(">", messages.at(-1)?.id ?? 0) };
}

function count(database: Database, sessionId: string): number {
	return (
		database.query<{ n: number }, [string]>(`SELECT count(*) AS n FROM messages WHERE ${live}`).get(sessionId)?.n ?? 0
	);
}

function viewed(row: Row): ViewedMessage {
	return {
		id: row.id,
		role: row.role,
		content: contentText(row.content),
		timestamp: row.timestamp,
		toolName: row.tool_name,
		toolCalls: row.tool_calls,
		toolCallId: row.tool_call_id,
	};
}
