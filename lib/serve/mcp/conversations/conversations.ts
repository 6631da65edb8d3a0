/** Conversations of the store as MCP clients see them: named by their first session, whatever compression made of them since. */

import { archiveOf } from "../../../store/search/archive.ts";
import type { Store, StoredMessage, StoredSession } from "../../../store/store.ts";
import { CallRefused } from "./arguments.ts";

/** Characters of one message. */
const longestContent = 2_000;

/** A conversation as it is listed. Times are ISO 8601 in UTC. What only chat platforms know is null elsewhere. */
export interface ShownConversation {
	readonly session_key: string;
	/** The session that is spoken in now. */
	readonly session_id: string;
	readonly platform: string;
	readonly chat_type: string | null;
	readonly display_name: string;
	readonly chat_name: string | null;
	readonly user_name: string | null;
	readonly updated_at: string;
}

/** One message of a conversation. */
export interface ShownMessage {
	readonly id: number;
	readonly role: string;
	readonly content: string;
	readonly timestamp: string;
}

/** Which conversations. */
export interface ConversationFilter {
	readonly platform: string | undefined;
	/** Part of a name, or words that were said. */
	readonly search: string | undefined;
	readonly limit: number;
}

/** Those in which something was said last, first. */
export function listConversations(store: Store, { platform, search, limit }: ConversationFilter) {
	const found = search === undefined ? undefined : foundIn(store, search);
	const conversations: ShownConversation[] = [];
	for (const { key, session, lastSaid } of newestConversations(store)) {
		if (conversations.length === limit) break;
		const isWanted = search === undefined || found?.has(key) || isNamed(session, search);
		const isThere = platform === undefined || session.source === platform;
		if (isWanted && isThere) conversations.push(shownConversation(store, session, lastSaid));
	}
	return { count: conversations.length, conversations };
}

/** One conversation with everything that is known of it. @throws {CallRefused} When there is none. */
export function getConversation(store: Store, key: string) {
	const session = conversationOf(store, key);
	const { inputTokens, outputTokens } = session.usage;
	return {
		...shownConversation(store, session, lastSaidIn(store, session)),
		chat_id: null,
		thread_id: null,
		created_at: time(store.getSession(keyOf(store, session.id))?.startedAt ?? session.startedAt),
		model: session.model,
		cwd: session.cwd,
		message_count: session.messageCount,
		input_tokens: inputTokens,
		output_tokens: outputTokens,
		total_tokens: inputTokens + outputTokens,
	};
}

/** The newest messages that were said, oldest of them first. @throws {CallRefused} When there is no such conversation. */
export function readMessages(store: Store, key: string, { limit, redact }: { limit: number; redact: Redact }) {
	const session = conversationOf(store, key);
	const said = store.listChainMessages(session.id).filter(isSaid);
	const messages = said
		.slice(-limit)
		.map(({ id, timestamp, message: { role, content } }) =>
			shownMessage({ id, role, content, timestamp }, redact, longestContent),
		);
	return { session_key: keyOf(store, session.id), count: messages.length, total_in_session: said.length, messages };
}

/** Files and pictures that a message names. @throws {CallRefused} When there is no such message. */
export function fetchAttachments(
	store: Store,
	key: string,
	{ messageId, redact }: { messageId: string; redact: Redact },
) {
	const session = conversationOf(store, key);
	const found = store.listChainMessages(session.id).find(({ id }) => String(id) === messageId);
	if (found === undefined) {
		throw new CallRefused(
			`Cannot find message "${messageId}" in "${key}": take an id that messages_read gives for this conversation`,
		);
	}
	const attachments = attachmentsIn(redact(found.message.content));
	return { message_id: found.id, count: attachments.length, attachments };
}

/** Takes secrets out of what is shown. */
export type Redact = (text: string) => string;

/** The session of `key` that is spoken in now; every session of a conversation names it. @throws {CallRefused} */
export function conversationOf(store: Store, key: string): StoredSession {
	const named = store.getSession(key) ?? store.findByTitle(key);
	const session = named && store.getSession(store.tipOf(named.id));
	if (session !== undefined) return session;
	throw new CallRefused(`Cannot find conversation "${key}": take a session_key that conversations_list gives`);
}

/** The first session of the conversation: it stays when compression begins another one. */
export function keyOf(store: Store, sessionId: string): string {
	const chain = store.chainOf(sessionId);
	const first = chain.findLastIndex((id) => store.kindOf(id) !== "continuation");
	return chain[Math.max(first, 0)] ?? sessionId;
}

/** Whether a person or the model said it: no summary, and no note of hermes itself. */
export function isSaid({ message }: StoredMessage): boolean {
	if (message.role === "user" && message.origin !== undefined) return false;
	return (message.role === "user" || message.role === "assistant") && message.content.trim() !== "";
}

/** What of a message is shown. */
export interface SaidMessage {
	readonly id: number;
	readonly role: string;
	readonly content: string;
	/** Seconds since 1970. */
	readonly timestamp: number;
}

/** A message, cut to `longest` characters. */
export function shownMessage(
	{ id, role, content, timestamp }: SaidMessage,
	redact: Redact,
	longest: number,
): ShownMessage {
	// Masked before it is cut: of a secret that is cut in the middle the rest could not be told any more.
	const masked = redact(content);
	const cut = masked.length > longest ? `${masked.slice(0, longest - 1)}…` : masked;
	return { id, role, content: cut, timestamp: time(timestamp) };
}

function shownConversation(store: Store, session: StoredSession, lastSaid = session.startedAt): ShownConversation {
	const key = keyOf(store, session.id);
	return {
		session_key: key,
		session_id: session.id,
		platform: session.source,
		chat_type: null,
		display_name: session.title ?? store.getSession(key)?.title ?? session.id,
		chat_name: null,
		user_name: session.userId,
		updated_at: time(lastSaid),
	};
}

interface Found {
	readonly key: string;
	/** The one that is spoken in now. */
	readonly session: StoredSession;
	readonly lastSaid: number;
}

/** Every conversation once; neither archived ones nor what sub-agents say to each other. */
function* newestConversations(store: Store): Generator<Found> {
	const spoken = store.read((database) =>
		database
			.query<{ id: string; lastSaid: number }, []>(
				"SELECT session_id AS id, max(timestamp) AS lastSaid FROM messages WHERE active = 1 GROUP BY session_id ORDER BY lastSaid DESC",
			)
			.all(),
	);
	const seen = new Set<string>();
	for (const { id, lastSaid } of spoken) {
		const key = keyOf(store, id);
		if (seen.has(key) || store.kindOf(id) === "delegate") continue;
		seen.add(key);
		const session = store.getSession(store.tipOf(id));
		if (session !== undefined && !session.archived) yield { key, session, lastSaid };
	}
}

function lastSaidIn(store: Store, { id }: StoredSession): number | undefined {
	const last = store.read((database) =>
		database
			.query<{ timestamp: number }, [string]>(
				"SELECT timestamp FROM messages WHERE session_id = ? AND active = 1 ORDER BY id DESC LIMIT 1",
			)
			.get(id),
	);
	return last?.timestamp;
}

/** Keys of conversations in which the words were said. */
function foundIn(store: Store, query: string): ReadonlySet<string> {
	const { hits } = archiveOf((work) => store.read(work)).search({ query, limit: 200 });
	return new Set(hits.map(({ sessionId }) => keyOf(store, sessionId)));
}

function isNamed({ id, title, cwd }: StoredSession, search: string): boolean {
	const part = search.toLowerCase();
	return [id, title, cwd].some((name) => name?.toLowerCase().includes(part));
}

const mediaTag = /MEDIA:(?:"([^"\n]+)"|(\S+))/g;
const markdownImage = /!\[[^\]\n]*\]\(([^)\s]+)[^)\n]*\)/g;

function attachmentsIn(content: string) {
	const files = [...content.matchAll(mediaTag)].map(([, quoted, plain]) => ({ type: "media", path: quoted ?? plain }));
	const images = [...content.matchAll(markdownImage)].map(([, url]) => ({ type: "image", url }));
	return [...files, ...images];
}

function time(seconds: number): string {
	return new Date(seconds * 1_000).toISOString();
}
