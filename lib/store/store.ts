/** The contract of the store: sessions and their messages, written as they happen. */

import type { Message, TokenUsage } from "../base/conversation.ts";

/** What is known of a session when it begins. */
export interface NewSession {
	readonly id: string;
	/** The surface it began on: `cli`, `cron`, `api_server`, … */
	readonly source: string;
	readonly model?: string;
	readonly systemPrompt?: string;
	readonly cwd?: string;
	readonly provider?: string;
	readonly baseUrl?: string;
	readonly parentSessionId?: string;
	/** Seconds since 1970; the clock's now when left out. */
	readonly startedAt?: number;
}

/** One session as stored. Times are seconds since 1970. */
export interface StoredSession {
	readonly id: string;
	readonly source: string;
	readonly model: string | null;
	readonly systemPrompt: string | null;
	readonly cwd: string | null;
	readonly provider: string | null;
	readonly baseUrl: string | null;
	readonly parentSessionId: string | null;
	readonly title: string | null;
	readonly startedAt: number;
	readonly endedAt: number | null;
	readonly endReason: string | null;
	readonly messageCount: number;
	readonly toolCallCount: number;
	readonly apiCallCount: number;
	readonly usage: TokenUsage;
}

/** One message as stored. */
export interface StoredMessage {
	readonly id: number;
	/** Seconds since 1970. Order is that of `id`: a clock may step back. */
	readonly timestamp: number;
	readonly message: Message;
}

/** An open `state.db`. Every write is durable against the death of this process when its call returns. */
export interface Store extends Disposable {
	/** Adds a session; does nothing when the id is there already. */
	createSession(session: NewSession): void;
	/** From now on the session asks `model`. */
	useModel(sessionId: string, model: string): void;
	/** Marks the session as ended; the first reason stays. */
	endSession(sessionId: string, reason: string): void;
	/** Writes one message and the session's counters in one transaction; the same object is written once only. Gives its row id. */
	appendMessage(sessionId: string, message: Message): number;
	/** Adds the tokens of one model call to the session. */
	addUsage(sessionId: string, usage: TokenUsage): void;
	getSession(sessionId: string): StoredSession | undefined;
	/** Newest first. */
	listSessions(limit?: number): readonly StoredSession[];
	/** In the order in which they were written; a row that cannot be read is left out. */
	listMessages(sessionId: string): readonly StoredMessage[];
	close(): void;
}

/** The database cannot be used as it is. The message is one line; nothing was changed. */
export class StoreRefused extends Error {
	override readonly name = "StoreRefused";
}
