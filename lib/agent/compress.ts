/** The port through which the loop has a conversation shortened. */

import type { Message } from "../base/conversation.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelRoute } from "./routes.ts";
import type { Turn } from "./turn.ts";

/** What is known when the loop asks. */
export interface CompressRequest {
	/** `check` before each model call, the others after a model refused the conversation for its length. */
	readonly why: "check" | "context_overflow" | "payload_too_large" | "long_context_limit";
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
}

/** Undefined when nothing has to be shortened, or nothing can be. */
export type Compress = (request: CompressRequest) => Promise<Compressed | undefined>;

/** How often one turn may shorten its conversation: each time costs what it took to read it. */
const mostOften = 3;

/** Whether the conversation is shorter now. A failure is a warning: the model may take the conversation as it is. */
export async function compressConversation(
	conversation: Conversation,
	turn: Turn,
	{ why, contextTokens }: Pick<CompressRequest, "why"> & { readonly contextTokens?: number | undefined },
): Promise<boolean> {
	const { compress, emit } = conversation.options;
	if (compress === undefined || turn.counts.compressions >= mostOften) return false;
	const { messages, sessionId, routes } = conversation;
	const before = messages.length;
	const { promptTokens } = turn.tally;
	const { signal } = turn;
	try {
		const request = { why, messages, sessionId, route: routes.current, promptTokens, contextTokens, signal };
		const compressed = await compress(request);
		if (compressed === undefined) return false;
		turn.counts.compressions++;
		turn.tally.promptTokens = undefined;
		conversation.replace(compressed);
	} catch (cause) {
		signal.throwIfAborted();
		emit({ type: "warning", message: `The conversation could not be shortened: ${reasonOf(cause)}` });
		return false;
	}
	const { length } = conversation.messages;
	emit({ type: "compressed", session_id: conversation.sessionId, messages_before: before, messages_after: length });
	return true;
}

function reasonOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : String(cause);
}
