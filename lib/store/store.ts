/** The contract of the store: sessions and their messages, written as they happen. Times are seconds since 1970. */

import type { Database } from "bun:sqlite";
import type { Attempt } from "../base/attempt.ts";
import type { JsonValue, Message, TokenUsage } from "../base/conversation.ts";

/** What is known of a session when it begins. */
export interface NewSession {
	readonly id: string;
	/** The surface it began on: `cli`, `cron`, `api_server`, … */
	readonly source: string;
	readonly userId?: string;
	readonly model?: string;
	readonly modelConfig?: { readonly [key: string]: JsonValue };
	readonly systemPrompt?: string;
	readonly cwd?: string;
	readonly provider?: string;
	readonly baseUrl?: string;
	readonly parentSessionId?: string;
	/** The clock's now when left out. */
	readonly startedAt?: number;
}

/** One session as stored. */
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
	readonly userId: string | null;
	/** Empty when there is none, or none that can be read. */
	readonly modelConfig: { readonly [key: string]: JsonValue };
	readonly costUsd: number | null;
	readonly rewindCount: number;
	readonly archived: boolean;
}

/** One message as stored. */
export interface StoredMessage {
	readonly id: number;
	/** Order is that of `id`: a clock may step back. */
	readonly timestamp: number;
	readonly message: Message;
}

/** What a message may bring from the platform it came from. */
export interface AppendOptions {
	/** When it was said; the clock's now when left out. */
	readonly timestamp?: number;
	readonly platformMessageId?: string;
}

/** Who answered one call of a model, and what it cost. What is left out is taken from the session. */
export interface ModelCall {
	readonly provider?: string;
	readonly model?: string;
	readonly baseUrl?: string;
	readonly costUsd?: number;
	/** What it was for, when not for the conversation itself: the name of a side task, as in `auxiliary.NAME`. */
	readonly task?: string;
}

/** One call of a model as stored. */
export interface StoredModelCall {
	readonly timestamp: number;
	readonly provider: string | null;
	readonly model: string | null;
	readonly usage: TokenUsage;
	readonly costUsd: number | null;
	/** Null for the conversation itself. */
	readonly task: string | null;
}

/** What can be changed of a session that exists. */
export interface SessionChange {
	readonly model?: string;
	readonly modelConfig?: { readonly [key: string]: JsonValue };
	readonly systemPrompt?: string;
	readonly cwd?: string;
	readonly archived?: boolean;
	readonly actualCostUsd?: number;
}

/** Which sessions are listed. */
export interface SessionFilter {
	/** 100 when left out. */
	readonly limit?: number;
	readonly offset?: number;
	readonly source?: string;
	/** Archived ones too. */
	readonly archived?: boolean;
	/** Begins of conversations and branches only, a compressed one as its newest part; no delegates. */
	readonly roots?: boolean;
}

/** Sessions: what they are, and how they begin and end. */
export interface SessionStore {
	/** Adds a session; does nothing when the id is there already. */
	createSession(session: NewSession): void;
	/** From now on the session asks `model`. */
	useModel(sessionId: string, model: string): void;
	/** The same when another provider has that model; the address is null where it is the provider's own. */
	useProvider(
		sessionId: string,
		asked: { readonly model: string; readonly provider: string; readonly baseUrl: string | null },
	): void;
	/** Changes what is named and leaves the rest. @throws {Error} When there is no such session. */
	updateSession(sessionId: string, change: SessionChange): void;
	/** Marks the session as ended; the first reason stays. */
	endSession(sessionId: string, reason: string): void;
	/** Takes the end of a session back. */
	reopenSession(sessionId: string): void;
	getSession(sessionId: string): StoredSession | undefined;
	/** Newest first. A number is the limit. */
	listSessions(filter?: number | SessionFilter): readonly StoredSession[];
	/** Whether a turn was under way when it was last written: the last message waits for an answer, and it was not ended. */
	isInterrupted(sessionId: string): boolean;
}

/** Messages of a session. */
export interface MessageStore {
	/** Writes one message and the session's counters in one transaction; the same object is written once a session. Gives its row id. */
	appendMessage(sessionId: string, message: Message, options?: AppendOptions): number;
	/** Puts `messages` in the place of all there are, in one transaction. */
	replaceMessages(sessionId: string, messages: readonly Message[]): void;
	/** In the order in which they were written, without those that were taken back; a row that cannot be read is left out. */
	listMessages(sessionId: string): readonly StoredMessage[];
	/** Takes back the user's message `messageId` and all that followed. Gives its text, or undefined when it is none. */
	rewind(sessionId: string, messageId: number): string | undefined;
	/** Brings back what was taken back from `messageId` on, unless something was said since. Gives how many messages. */
	restore(sessionId: string, messageId: number): number;
}

/** Tokens and costs. */
export interface UsageStore {
	/** Adds the tokens of one model call to the session, and a row of its own. @throws {Error} When there is no such session. */
	addUsage(sessionId: string, usage: TokenUsage, call?: ModelCall): void;
	/** Sets the counters of a session to sums that somebody else keeps. */
	setUsage(sessionId: string, usage: TokenUsage): void;
	/** Oldest first. */
	listModelCalls(sessionId: string): readonly StoredModelCall[];
}

/** Names that people give to sessions. */
export interface TitleStore {
	/** Gives the title as it was stored, or why it was not. */
	setTitle(sessionId: string, title: string): Attempt<string>;
	/** The newest session of that title: `report` finds `report #3` too. */
	findByTitle(title: string): StoredSession | undefined;
	/** The next free one in its line: `report` → `report #2`. */
	nextTitle(title: string): string;
}

/** What a session is to its parent. */
export type SessionKind = "root" | "continuation" | "branch" | "delegate" | "other";

/** How sessions follow from each other. */
export interface LineageStore {
	kindOf(sessionId: string): SessionKind | undefined;
	/** The first of its line of compressions and branches; itself when it has no parent. */
	rootOf(sessionId: string): string;
	/** The newest continuation of a compressed session; itself when there is none. */
	tipOf(sessionId: string): string;
	/** From the root to the session itself, at most 100. */
	chainOf(sessionId: string): readonly string[];
	/** The session to go on with for `sessionId`: its tip, or its newest descendant that has messages. */
	resumeTarget(sessionId: string): string;
	/**
	 * The messages of the whole chain, without those that a compression carried over, and without a user message that a continuation
	 * repeats before anything was answered.
	 */
	listChainMessages(sessionId: string): readonly StoredMessage[];
	/** Ends `sessionId` for reason `compression` and begins its continuation in the same transaction. */
	continueSession(sessionId: string, next: NewSession, messages: readonly Message[]): void;
	/** Copies a session up to and with `throughId` (all of it when left out) into a new one. */
	branchSession(sessionId: string, branch: { readonly id: string; readonly throughId?: number }): void;
}

/** A lock on compressing one session, so that two processes do not do it at once. */
export interface CompressionLocks {
	/** Whether `holder` has it now, for `seconds`. Called again by the holder it is the heartbeat. */
	takeCompressionLock(sessionId: string, holder: string, seconds?: number): boolean;
	releaseCompressionLock(sessionId: string, holder: string): void;
	/** Who has it. */
	compressionHolder(sessionId: string): string | undefined;
}

/** Where a session that is handed to another platform stands. */
export type HandoffState = "pending" | "running" | "completed" | "failed";

/** A session on its way to another platform. */
export interface Handoff {
	readonly state: HandoffState;
	readonly platform: string;
	readonly error: string | null;
}

/** pending → running → completed or failed. */
export interface HandoffStore {
	/** False when one is under way. */
	requestHandoff(sessionId: string, platform: string): boolean;
	/** Takes the oldest that waits for `platform`; no two callers get the same. */
	claimHandoff(platform: string): string | undefined;
	/** Ends the running one; `error` says that it failed. */
	finishHandoff(sessionId: string, error?: string): void;
	handoffOf(sessionId: string): Handoff | undefined;
}

/** Which sessions are open now. */
export interface ClaimStore {
	/**
	 * Notes that `holder` has the session open, under whatever id a compression lets it go on. Gives the other holder instead when
	 * there is one that is alive.
	 */
	claimSession(sessionId: string, holder: string, isAlive: (holder: string) => boolean): string | undefined;
	/** Does nothing when somebody else has it. */
	releaseSession(sessionId: string, holder: string): void;
}

/** What is pruned. */
export interface PruneOptions {
	/** Sessions that ended longer ago; 90 when left out. */
	readonly days?: number;
	readonly source?: string;
	/** Says what would go and leaves it. */
	readonly dryRun?: boolean;
	readonly now?: number;
}

/** Taking away. */
export interface RemovalStore {
	/** Deletes a session, the delegates under it and their files; other children lose their parent. Gives the ids that went. */
	deleteSession(sessionId: string): readonly string[];
	/** Deletes old sessions in small transactions; never one that a younger or open session goes back to. Gives the ids. */
	prune(options?: PruneOptions): readonly string[];
	/** Prunes when the last time is a day ago, and gives the room back. Gives how many went; never throws. */
	maintain(options?: PruneOptions): number;
}

/** One session with everything, as `export` writes it. */
export interface ExportedSession {
	readonly session: Readonly<Record<string, string | number | null>>;
	/** All columns of all messages, those that were taken back too (`active` 0). */
	readonly messages: readonly Readonly<Record<string, string | number | null>>[];
}

/** Out of the database and into it. */
export interface TransferStore {
	/** One session after the other, so that a large store does not have to fit into memory; all when no ids are named. */
	exportSessions(ids?: readonly string[]): Generator<ExportedSession>;
	/** False when its id is there already. Messages get new ids. @throws {Error} When it is not what export wrote. */
	importSession(exported: unknown): boolean;
}

/** Numbers about the whole store. */
export interface StoreStats {
	readonly sessions: number;
	readonly messages: number;
	readonly bySource: Readonly<Record<string, number>>;
	readonly usage: TokenUsage;
	readonly costUsd: number;
	readonly bytes: number;
	readonly oldest: number | null;
	readonly newest: number | null;
}

/** Looking after the file. */
export interface UpkeepStore {
	stats(): StoreStats;
	/** Everything that is wrong, a sentence each; reads the whole file. */
	check(): readonly string[];
	/** Makes the search index from the messages again. */
	rebuildIndex(): void;
	/** Notes that belong to the store itself. */
	getMeta(key: string): string | undefined;
	setMeta(key: string, value: string): void;
}

/** An open `state.db`. Every write is durable against the death of this process when its call returns. */
export interface Store
	extends Disposable,
		SessionStore,
		MessageStore,
		UsageStore,
		TitleStore,
		LineageStore,
		CompressionLocks,
		HandoffStore,
		ClaimStore,
		RemovalStore,
		TransferStore,
		UpkeepStore {
	/** Runs queries that must see one state together; a damaged index is made again once and the work repeated. */
	read<T>(work: (database: Database) => T): T;
	close(): void;
}

/** The database cannot be used as it is. The message is one line; nothing was changed. */
export class StoreRefused extends Error {
	override readonly name = "StoreRefused";
}
