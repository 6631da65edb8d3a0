/** The `messages` table: one row a message, in the order in which they happened. */

import type { Database } from "bun:sqlite";
import { z } from "zod";
import type { AssistantMessage, Message, ToolCall } from "../base/conversation.ts";
import type { Store, StoredMessage } from "./store.ts";
import type { Write } from "./write.ts";

const insertMessage = `INSERT INTO messages
	(session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason, reasoning)
	VALUES ($sessionId, $role, $content, $toolCallId, $toolCalls, $toolName, $timestamp, $finishReason, $reasoning)`;

const countMessage = `UPDATE sessions SET message_count = message_count + 1,
	tool_call_count = tool_call_count + $calls WHERE id = $sessionId`;

const toolCallsColumn = z.array(
	z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
);

interface MessageRow {
	readonly id: number;
	readonly role: string;
	readonly content: string | null;
	readonly tool_call_id: string | null;
	readonly tool_calls: string | null;
	readonly tool_name: string | null;
	readonly timestamp: number;
	readonly finish_reason: string | null;
	readonly reasoning: string | null;
}

/** The part of the store that is about messages. */
export function createMessages(database: Database, write: Write): Pick<Store, "appendMessage" | "listMessages"> {
	// By identity, never by position: a list that was cut or merged must not be written twice (#860, #46053).
	const written = new WeakMap<Message, number>();
	return {
		appendMessage(sessionId, message) {
			const known = written.get(message);
			if (known !== undefined) return known;
			const id = write(() => {
				const calls = message.role === "assistant" ? message.toolCalls.length : 0;
				const { changes } = database.query(countMessage).run({ sessionId, calls });
				if (changes === 0) throw new Error(`Cannot add a message to session "${sessionId}": no such session`);
				return Number(database.query(insertMessage).run({ sessionId, ...valuesOf(message) }).lastInsertRowid);
			});
			written.set(message, id);
			return id;
		},
		listMessages(sessionId) {
			return database
				.query<MessageRow, { sessionId: string }>(
					"SELECT * FROM messages WHERE session_id = $sessionId AND active = 1 ORDER BY id",
				)
				.all({ sessionId })
				.flatMap(storedMessageOf);
		},
	};
}

function valuesOf(message: Message) {
	const assistant = message.role === "assistant" ? message : undefined;
	const tool = message.role === "tool" ? message : undefined;
	return {
		role: message.role,
		content: message.content,
		toolCallId: tool?.toolCallId ?? null,
		toolName: tool?.toolName ?? null,
		toolCalls: assistant === undefined || assistant.toolCalls.length === 0 ? null : toolCallsText(assistant.toolCalls),
		timestamp: Date.now() / 1000,
		finishReason: assistant?.finishReason ?? null,
		reasoning: assistant?.reasoning ?? null,
	};
}

/** The shape of the chat-completions wire, because other programs read this column too. */
function toolCallsText(calls: readonly ToolCall[]): string {
	return JSON.stringify(
		calls.map(({ id, name, arguments: text }) => ({ id, type: "function", function: { name, arguments: text } })),
	);
}

function storedMessageOf(row: MessageRow): StoredMessage[] {
	const message = messageOf(row);
	return message === undefined ? [] : [{ id: row.id, timestamp: row.timestamp, message }];
}

function messageOf(row: MessageRow): Message | undefined {
	const content = row.content ?? "";
	switch (row.role) {
		case "system":
		case "user":
			return { role: row.role, content };
		case "tool":
			return { role: "tool", toolCallId: row.tool_call_id ?? "", toolName: row.tool_name ?? "", content };
		case "assistant":
			return assistantOf(row, content);
		default:
			return undefined;
	}
}

function assistantOf(row: MessageRow, content: string): AssistantMessage | undefined {
	const toolCalls = toolCallsOf(row.tool_calls);
	if (toolCalls === undefined) return undefined;
	return {
		role: "assistant",
		content,
		toolCalls,
		...(row.reasoning === null ? {} : { reasoning: row.reasoning }),
		...(row.finish_reason === null ? {} : { finishReason: row.finish_reason }),
	};
}

function toolCallsOf(text: string | null): readonly ToolCall[] | undefined {
	if (text === null) return [];
	try {
		return toolCallsColumn
			.parse(JSON.parse(text))
			.map(({ id, function: { name, arguments: args } }) => ({ id, name, arguments: args }));
	} catch {
		return undefined;
	}
}
