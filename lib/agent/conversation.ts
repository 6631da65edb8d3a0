/** The messages of one conversation: kept in order, written as they happen, and always a history that a model accepts. */

import type { AssistantMessage, Message, ToolCall } from "../base/conversation.ts";
import { toolError } from "../registry/tool.ts";
import type { AgentOptions } from "./agent.ts";
import { openSight, type Sight } from "./ask/sent-images.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Compressed } from "./compress.ts";
import { createRoutes, type Routes } from "./routes.ts";
import { createSpending, type Spending } from "./spending.ts";
import { createSteering, type Steering } from "./steer.ts";

/** One conversation while its agent lives. */
export interface Conversation {
	readonly options: AgentOptions;
	readonly messages: readonly Message[];
	/** The session that messages are written to. */
	readonly sessionId: string;
	readonly systemPrompt: string;
	readonly routes: Routes;
	readonly steering: Steering;
	readonly spending: Spending;
	readonly clock: Clock;
	readonly sight: Sight;
	/** Adds a message and writes it to the store before it returns. */
	append(message: Message): void;
	/** Goes on with messages that are written already. */
	replace(compressed: Compressed): void;
	/** Gives every tool call without a result one that says why: a model refuses a history with open calls. */
	answerOpenCalls(reason: string): void;
}

/** Begins with `options.history`. */
export function openConversation(options: AgentOptions): Conversation {
	const { clock = systemClock, spending = createSpending(), fallbacks = [] } = options;
	const messages: Message[] = [...(options.history ?? [])];
	let { sessionId, systemPrompt } = options;
	const append = (message: Message) => {
		// In memory first: the history stays valid even when the store fails.
		messages.push(message);
		options.store?.appendMessage(sessionId, message);
	};
	const onSkipped = (message: string) => options.emit({ type: "warning", message });
	return {
		options,
		messages,
		get sessionId() {
			return sessionId;
		},
		get systemPrompt() {
			return systemPrompt;
		},
		routes: createRoutes({ chosen: options, fallbacks, clock, onSkipped }),
		steering: createSteering(),
		spending,
		clock,
		sight: openSight(),
		append,
		replace(compressed) {
			// A copy first: the list may be a part of this one.
			messages.splice(0, messages.length, ...[...compressed.messages]);
			sessionId = compressed.sessionId ?? sessionId;
			systemPrompt = compressed.systemPrompt ?? systemPrompt;
		},
		answerOpenCalls(reason) {
			for (const { id, name } of openCalls(messages)) {
				append({ role: "tool", toolCallId: id, toolName: name, content: toolError(reason) });
			}
		},
	};
}

function openCalls(messages: readonly Message[]): readonly ToolCall[] {
	const index = messages.findLastIndex(({ role }) => role !== "tool");
	const last = messages[index];
	if (last?.role !== "assistant") return [];
	const answered = messages
		.slice(index + 1)
		.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));
	return last.toolCalls.filter(({ id }) => !answered.includes(id));
}

/** Whether a message says nothing at all. */
export function isEmpty({ content, toolCalls }: AssistantMessage): boolean {
	return toolCalls.length === 0 && content.trim() === "";
}
