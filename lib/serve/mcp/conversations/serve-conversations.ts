/** The ten tools by which MCP clients read conversations, follow them, and answer in them. */

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { JsonSchema } from "../../../registry/json-schema.ts";
import type { Store } from "../../../store/store.ts";
import type { Served, ServedTool } from "../served.ts";
import { answerSchemas } from "./answer-schemas.ts";
import { CallRefused, optionalText, type SentArguments, textOf, wholeNumber } from "./arguments.ts";
import { fetchAttachments, getConversation, listConversations, type Redact, readMessages } from "./conversations.ts";
import { type ConversationEvents, openEvents } from "./events.ts";
import { conversationResources } from "./resources.ts";

/** Whose conversations. */
export interface ServedConversations {
	readonly store: Store;
	readonly version: string;
	/** Takes secrets out of what was said. */
	readonly redact: Redact;
}

interface ConversationTool {
	readonly title: string;
	readonly description: string;
	readonly properties: Readonly<Record<string, JsonSchema>>;
	readonly required?: readonly string[];
	/** Only the gateway can do it. */
	readonly needsGateway?: true;
	/** @throws {CallRefused} When it cannot be done as it is asked for. */
	run(args: SentArguments, context: Context): unknown;
}

interface Context extends ServedConversations {
	readonly events: ConversationEvents;
	readonly signal: AbortSignal;
}

const limits = { usual: 50, least: 1, most: 200 };
const eventLimits = { usual: 20, least: 1, most: 200 };
const cursors = { usual: 0, least: 0, most: Number.MAX_SAFE_INTEGER };
const waits = { usual: 30_000, least: 0, most: 300_000 };

const sessionKey = { type: "string", description: "A session_key of conversations_list" };
const limit = { type: "integer", minimum: 1, maximum: 200, default: 50 };
const platform = { type: "string", description: "Only of this platform, such as cli or telegram" };
const afterCursor = {
	type: "integer",
	minimum: 0,
	default: 0,
	description: "Only what came after it: a next_cursor, or 0 for everything since the server started",
};

const tools: Readonly<Record<string, ConversationTool>> = {
	conversations_list: {
		title: "List conversations",
		description: "List the conversations with hermes, newest first.",
		properties: { platform, limit, search: { type: "string", description: "Part of a name, or words that were said" } },
		run: (args, { store }) =>
			listConversations(store, {
				platform: optionalText(args, "platform"),
				search: optionalText(args, "search"),
				limit: wholeNumber(args, "limit", limits),
			}),
	},
	conversation_get: {
		title: "Get a conversation",
		description: "Everything that is known of one conversation, without its messages.",
		properties: { session_key: sessionKey },
		required: ["session_key"],
		run: (args, { store }) => getConversation(store, textOf(args, "session_key")),
	},
	messages_read: {
		title: "Read messages",
		description: "The newest messages of a conversation, in the order in which they were said; long ones are cut.",
		properties: { session_key: sessionKey, limit },
		required: ["session_key"],
		run: (args, { store, redact }) =>
			readMessages(store, textOf(args, "session_key"), { limit: wholeNumber(args, "limit", limits), redact }),
	},
	attachments_fetch: {
		title: "Fetch attachments",
		description: "Files and pictures that a message names.",
		properties: { session_key: sessionKey, message_id: { type: "string", description: "An id of messages_read" } },
		required: ["session_key", "message_id"],
		run: (args, { store, redact }) =>
			fetchAttachments(store, textOf(args, "session_key"), { messageId: textOf(args, "message_id"), redact }),
	},
	events_poll: {
		title: "Poll events",
		description: "What has been said since a cursor, in any conversation or in one. Does not wait.",
		properties: { after_cursor: afterCursor, session_key: sessionKey, limit: { ...limit, default: 20 } },
		run: (args, { events }) =>
			events.poll({
				after: wholeNumber(args, "after_cursor", cursors),
				sessionKey: optionalText(args, "session_key"),
				limit: wholeNumber(args, "limit", eventLimits),
			}),
	},
	events_wait: {
		title: "Wait for an event",
		description: "Waits until something is said after a cursor, and gives the first of it.",
		properties: {
			after_cursor: afterCursor,
			session_key: sessionKey,
			timeout_ms: { type: "integer", minimum: 0, maximum: 300_000, default: 30_000 },
		},
		run: (args, { events, signal }) =>
			events.wait(
				{ after: wholeNumber(args, "after_cursor", cursors), sessionKey: optionalText(args, "session_key") },
				{ timeoutMs: wholeNumber(args, "timeout_ms", waits), signal },
			),
	},
	messages_send: {
		title: "Send a message",
		description: "Send a message to a chat of a platform.",
		properties: {
			target: { type: "string", description: "platform:id, such as telegram:12345" },
			message: { type: "string" },
		},
		required: ["target", "message"],
		needsGateway: true,
		run: () => refuseWithoutGateway("send the message"),
	},
	channels_list: {
		title: "List channels",
		description: "List the chats that messages can be sent to.",
		properties: { platform },
		needsGateway: true,
		run: () => refuseWithoutGateway("list the channels"),
	},
	permissions_list_open: {
		title: "List open permissions",
		description: "List the calls that wait for consent.",
		properties: {},
		needsGateway: true,
		run: () => refuseWithoutGateway("list what waits for consent"),
	},
	permissions_respond: {
		title: "Answer a permission",
		description: "Allow or deny a call that waits for consent.",
		properties: {
			id: { type: "string", description: "An id of permissions_list_open" },
			decision: { type: "string", enum: ["allow-once", "allow-always", "deny"] },
		},
		required: ["id", "decision"],
		needsGateway: true,
		run: () => refuseWithoutGateway("answer"),
	},
};

/** Only the gateway is connected to the platforms and holds the calls that wait. */
function refuseWithoutGateway(what: string): never {
	throw new CallRefused(
		`Cannot ${what}: no gateway is running, and only the gateway reaches chat platforms. Start it for this HERMES_HOME and call again; reading conversations works without it`,
	);
}

const listed: readonly ServedTool[] = Object.entries(tools).map(
	([name, { title, description, properties, required = [], needsGateway }]) => ({
		name,
		title,
		description: needsGateway ? `${description} Works while the gateway is running.` : description,
		inputSchema: { type: "object", properties: { ...properties }, required: [...required] },
		...(answerSchemas[name] && { outputSchema: answerSchemas[name] }),
		annotations: annotationsFor(name, title),
	}),
);

function annotationsFor(name: string, title: string) {
	const changes = name === "messages_send" || name === "permissions_respond";
	return {
		title,
		readOnlyHint: !changes,
		...(changes && { destructiveHint: true }),
		openWorldHint: name === "messages_send",
	};
}

/** What `hermes mcp serve` serves; the store stays the caller's. */
export function serveConversations(served: ServedConversations): Served {
	const events = openEvents(served.store, served.redact);
	return {
		name: "hermes",
		version: served.version,
		instructions:
			"These tools read the conversations that people have with hermes. Start with conversations_list; follow what is said with events_wait, giving each next_cursor as the next after_cursor.",
		resources: conversationResources(served),
		openSession: () => ({
			tools: async () => listed,
			async call({ name, arguments: args, signal }) {
				try {
					return answerOf(await tools[name]?.run(args, { ...served, events, signal }));
				} catch (cause) {
					if (!(cause instanceof CallRefused)) throw cause;
					return { content: contentOf({ error: cause.message }), isError: true };
				}
			},
			async [Symbol.asyncDispose]() {},
		}),
	};
}

/** As text for clients that know nothing else, and as it is for the others. */
function answerOf(value: unknown): CallToolResult {
	return { content: contentOf(value), structuredContent: { ...Object(value) } };
}

function contentOf(value: unknown): CallToolResult["content"] {
	return [{ type: "text", text: JSON.stringify(value) }];
}
