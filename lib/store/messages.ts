/** The `messages` table: one row a message, in the order in which they happened. */

import type { Message } from "../base/conversation.ts";
import { columnsOf, type MessageRow, messageOf, UnreadableRow } from "./message-row.ts";
import type { AppendOptions, MessageStore, StoredMessage } from "./store.ts";
import type { Connection } from "./write.ts";

const insertMessage = `INSERT INTO messages
	(session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason, reasoning, reasoning_content,
	reasoning_details, codex_reasoning_items, codex_message_items, platform_message_id, extra, unspaced)
	VALUES ($sessionId, $role, $content, $toolCallId, $toolCalls, $toolName, $timestamp, $finishReason, $reasoning,
	$reasoningContent, $reasoningDetails, $reasoningItems, $messageItems, $platformMessageId, $extra, $unspaced)
	RETURNING id`;

const countMessage = `UPDATE sessions SET message_count = message_count + 1,
	tool_call_count = tool_call_count + $calls WHERE id = $sessionId`;

/** Counts again what is active; the subqueries are cheap because of the index on (session_id, active). */
const recount = `UPDATE sessions SET
	message_count = (SELECT count(*) FROM messages WHERE session_id = $sessionId AND active = 1),
	tool_call_count = (SELECT coalesce(sum(json_array_length(tool_calls)), 0) FROM messages
		WHERE session_id = $sessionId AND active = 1 AND json_valid(tool_calls))
	WHERE id = $sessionId`;

/** The part of the store that is about messages. */
export function createMessages(connection: Connection): MessageStore {
	const { database, write, read, onceCommitted } = connection;
	// By identity, never by position: a list that was cut or merged must not be written twice (#860, #46053).
	const written = new WeakMap<Message, { readonly sessionId: string; readonly id: number }>();
	const remember = (sessionId: string, message: Message, id: number) =>
		onceCommitted(() => void written.set(message, { sessionId, id }));
	const insert = (sessionId: string, message: Message, options: AppendOptions = {}): number => {
		const row = database.query<{ id: number }, Record<string, string | number | null>>(insertMessage).get({
			sessionId,
			...columnsOf(message),
			timestamp: options.timestamp ?? Date.now() / 1000,
			platformMessageId: options.platformMessageId ?? null,
		});
		if (row === null) throw new Error(`Cannot add a message to session "${sessionId}": no row came of it`);
		remember(sessionId, message, row.id);
		return row.id;
	};
	return {
		appendMessage(sessionId, message, options) {
			const known = written.get(message);
			if (known?.sessionId === sessionId) return known.id;
			return write(() => {
				const calls = message.role === "assistant" ? message.toolCalls.length : 0;
				const { changes } = database.query(countMessage).run({ sessionId, calls });
				if (changes === 0) throw new Error(`Cannot add a message to session "${sessionId}": no such session`);
				return insert(sessionId, message, options);
			});
		},
		replaceMessages(sessionId, messages) {
			write(() => {
				requireSession(connection, sessionId);
				database.query("DELETE FROM messages WHERE session_id = $sessionId").run({ sessionId });
				const now = Date.now() / 1000;
				for (const [index, message] of messages.entries()) {
					insert(sessionId, message, { timestamp: now + index / 1_000_000 });
				}
				database.query(recount).run({ sessionId });
			});
		},
		listMessages(sessionId) {
			return read(() => messagesOf(connection, sessionId));
		},
		rewind: (sessionId, messageId) => rewind(connection, sessionId, messageId),
		restore: (sessionId, messageId) => restore(connection, sessionId, messageId),
	};
}

/** Active messages of one session in the order in which they were written. */
export function messagesOf({ database }: Connection, sessionId: string): readonly StoredMessage[] {
	return database
		.query<MessageRow, { sessionId: string }>(
			"SELECT * FROM messages WHERE session_id = $sessionId AND active = 1 ORDER BY id",
		)
		.all({ sessionId })
		.flatMap(storedMessageOf);
}

/** @throws {Error} When there is no such session: an UPDATE that meets no row is a silent loss. */
export function requireSession({ database }: Connection, sessionId: string): void {
	const found = database.query("SELECT 1 FROM sessions WHERE id = $sessionId").get({ sessionId });
	if (found === null) throw new Error(`Cannot change session "${sessionId}": no such session`);
}

/** Makes the counters of a session those of its active messages. */
export function recountMessages({ database }: Connection, sessionId: string): void {
	database.query(recount).run({ sessionId });
}

function rewind(connection: Connection, sessionId: string, messageId: number): string | undefined {
	const { database, write } = connection;
	return write(() => {
		const target = database
			.query<{ content: string | null }, { sessionId: string; messageId: number }>(
				"SELECT content FROM messages WHERE id = $messageId AND session_id = $sessionId AND role = 'user' AND active = 1",
			)
			.get({ sessionId, messageId });
		if (target === null) return undefined;
		database
			.query("UPDATE messages SET active = 0 WHERE session_id = $sessionId AND id >= $messageId AND active = 1")
			.run({ sessionId, messageId });
		database.query("UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = $sessionId").run({ sessionId });
		recountMessages(connection, sessionId);
		return target.content ?? "";
	});
}

function restore(connection: Connection, sessionId: string, messageId: number): number {
	const { database, write } = connection;
	return write(() => {
		const later = database
			.query("SELECT 1 FROM messages WHERE session_id = $sessionId AND id >= $messageId AND active = 1 LIMIT 1")
			.get({ sessionId, messageId });
		// What was said since would stand between what was taken back.
		if (later !== null) return 0;
		const { changes } = database
			.query("UPDATE messages SET active = 1 WHERE session_id = $sessionId AND id >= $messageId AND active = 0")
			.run({ sessionId, messageId });
		recountMessages(connection, sessionId);
		return changes;
	});
}

function storedMessageOf(row: MessageRow): StoredMessage[] {
	try {
		const message = messageOf(row);
		return message === undefined ? [] : [{ id: row.id, timestamp: row.timestamp, message }];
	} catch (cause) {
		if (cause instanceof UnreadableRow) return [];
		throw cause;
	}
}
