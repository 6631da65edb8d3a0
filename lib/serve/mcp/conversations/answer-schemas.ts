/** What the tools of conversations answer with, as JSON schemas: clients check answers by them, and programs read by them. */

import type { JsonSchema } from "../../../registry/json-schema.ts";
import type { ServedTool } from "../served.ts";

/** What the answer of one tool looks like. */
export type AnswerSchema = NonNullable<ServedTool["outputSchema"]>;

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer", minimum: 0 };
const textOrNull: JsonSchema = { type: ["string", "null"] };
const time: JsonSchema = { type: "string", description: "ISO 8601, in UTC" };

const message = object({ id: count, role: text, content: text, timestamp: time });
const conversation = {
	session_key: text,
	session_id: text,
	platform: text,
	chat_type: textOrNull,
	display_name: text,
	chat_name: textOrNull,
	user_name: textOrNull,
	updated_at: time,
};
const event = object({
	cursor: count,
	type: text,
	session_key: text,
	message_id: count,
	role: text,
	content: text,
	timestamp: time,
});

/** Of tools that answer without the gateway; failures have another form, and say that they are failures. */
export const answerSchemas: Readonly<Record<string, AnswerSchema>> = {
	conversations_list: object({ count, conversations: listOf(object(conversation)) }),
	// More of it is known of some conversations than of others.
	conversation_get: { type: "object", properties: conversation, required: Object.keys(conversation) },
	messages_read: object({ session_key: text, count, total_in_session: count, messages: listOf(message) }),
	attachments_fetch: object({ message_id: count, count, attachments: listOf({ type: "object" }) }),
	events_poll: object({ events: listOf(event), next_cursor: count }),
	events_wait: object({
		event: { anyOf: [event, { type: "null" }] },
		reason: { type: "string", enum: ["event", "timeout"] },
		next_cursor: count,
	}),
};

function object(properties: Readonly<Record<string, JsonSchema>>): AnswerSchema {
	return { type: "object", properties: { ...properties }, required: Object.keys(properties) };
}

function listOf(items: JsonSchema): JsonSchema {
	return { type: "array", items };
}
