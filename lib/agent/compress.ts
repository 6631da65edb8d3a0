/** The port through which the loop has a conversation shortened. */

import type { Message } from "../base/conversation.ts";
import type { ToolDefinition } from "../providers/provider.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelRoute } from "./routes.ts";
import type { Turn } from "./turn.ts";

/** What is known when the loop asks. */
export interface CompressRequest {
	/** `check` before each model call, `manual` when the user asks for it, the others after a model refused the conversation. */
	readonly why: "check" | "manual" | "context_overflow" | "payload_too_large" | "long_context_limit";
	/** What the user wants kept above all. */
	readonly focus?: string | undefined;
	readonly systemPrompt: string;
	readonly tools: readonly ToolDefinition[];
	/** Tokens that an answer may have, when the user limits them. */
	readonly outputTokens: number | undefined;
	readonly messages: readonly Message[];
	readonly sessionId: string;
	/** Who is asked next. */
	readonly route: ModelRoute;
	/** Tokens of the last request, as the provider counted them; undefined before the first of a turn. */
	readonly promptTokens: number | undefined;
	/** Tokens of the model's window, when the refusal stated them. */
	readonly contextTokens: number | undefined;
	readonly signal: AbortSignal;
}

/** The shorter conversation, which is written already. */
export interface Compressed {
	readonly messages: readonly Message[];
	/** The session that it belongs to, when that is a new one. */
	readonly sessionId?: string;
	/** The prompt from here on, when it was made anew. */
	readonly systemPrompt?: string;
}

/** Undefined when nothing has to be shortened, or nothing can be. */
export type Compress = (request: CompressRequest) => Promise<Compressed | undefined>;

/** How often one answer may have the conversation shortened before it comes: each time costs what it took to read it. */
const mostOften = 3;

/** Whether the conversation is shorter now. A failure is a warning: the model may take the conversation as it is. */
export async function compressConversation(
	conversation: Conversation,
	turn: Turn,
	{ why, contextTokens }: Pick<CompressRequest, "why"> & { readonly contextTokens?: number | undefined },
): Promise<boolean> {
	const { compress, emit } = conversation.options;
	if (compress === undefined || turn.counts.compressions >= mostOften) return false;
	const before = conversation.messages.length;
	const { promptTokens } = turn.tally;
	const { signal } = turn;
	try {
		const compressed = await compress({ ...requestOf(conversation), why, promptTokens, contextTokens, signal });
		if (compressed === undefined) return false;
		turn.counts.compressions++;
		turn.tally.promptTokens = undefined;
		conversation.replace(compressed);
	} catch (cause) {
		signal.throwIfAborted();
		emit({ type: "warning", message: `The conversation could not be shortened: ${reasonOf(cause)}` });
		return false;
	}
	announce(conversation, before);
	return true;
}

/** What the user asked for between two turns. False when there is nothing to shorten. */
export async function compressNow(
	conversation: Conversation,
	focus: string | undefined,
	signal: AbortSignal,
): Promise<boolean> {
	const before = conversation.messages.length;
	const request = { ...requestOf(conversation), why: "manual" as const, focus, signal };
	const compressed = await conversation.options.compress?.({
		...request,
		promptTokens: undefined,
		contextTokens: undefined,
	});
	if (compressed === undefined) return false;
	conversation.replace(compressed);
	announce(conversation, before);
	return true;
}

function announce({ options, messages, sessionId }: Conversation, before: number): void {
	options.emit({
		type: "compressed",
		session_id: sessionId,
		messages_before: before,
		messages_after: messages.length,
	});
}

function requestOf({ messages, sessionId, systemPrompt, routes, options }: Conversation) {
	const { tools, limits } = options;
	return { messages, sessionId, systemPrompt, tools, route: routes.current, outputTokens: limits?.maxOutputTokens };
}

function reasonOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : String(cause);
}
