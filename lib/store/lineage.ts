/** How sessions follow from each other: continuations after compression, branches, delegates. */

import type { Message } from "../base/conversation.ts";
import { continuationOf, deepestChain, kindWithParent } from "./lineage-rules.ts";
import { messagesOf, recountMessages, requireSession } from "./messages.ts";
import { modelConfigOf } from "./session-row.ts";
import { endSession, findSession, insertSession } from "./sessions.ts";
import type { LineageStore, MessageStore, NewSession, SessionKind, StoredMessage } from "./store.ts";
import type { Connection } from "./write.ts";

/** How deep is looked for a descendant that has messages. */
const deepestDescent = 32;

/** Everything of a message but its id and its session. */
const copied = `role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count, finish_reason, reasoning,
	reasoning_content, reasoning_details, codex_reasoning_items, codex_message_items, platform_message_id, observed, extra, unspaced`;

const copyMessages = `INSERT INTO messages (session_id, ${copied})
	SELECT $id, ${copied} FROM messages WHERE session_id = $sessionId AND active = 1 AND id <= $throughId ORDER BY id`;

const copySession = `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, cwd, billing_provider,
	billing_base_url, billing_mode, parent_session_id, started_at)
	SELECT $id, source, user_id, model, $modelConfig, system_prompt, cwd, billing_provider, billing_base_url, billing_mode,
	id, $now FROM sessions WHERE id = $sessionId`;

/** The part of the store that is about lineage. */
export function createLineage(connection: Connection, messages: Pick<MessageStore, "appendMessage">): LineageStore {
	const { read, write } = connection;
	return {
		kindOf: (sessionId) => read(() => kindOf(connection, sessionId)),
		rootOf: (sessionId) => read(() => chainOf(connection, sessionId)[0] ?? sessionId),
		tipOf: (sessionId) => read(() => continuationOf(connection, sessionId)),
		chainOf: (sessionId) => read(() => chainOf(connection, sessionId)),
		resumeTarget: (sessionId) => read(() => resumeTarget(connection, sessionId)),
		listChainMessages: (sessionId) => read(() => chainMessages(connection, sessionId)),
		continueSession(sessionId, next, carried) {
			write(() => {
				continueSession(connection, sessionId, next);
				for (const message of carried) messages.appendMessage(next.id, message);
			});
		},
		branchSession: (sessionId, branch) => branchSession(connection, sessionId, branch),
	};
}

function kindOf({ database }: Connection, sessionId: string): SessionKind | undefined {
	return (
		database
			.query<{ kind: SessionKind }, { sessionId: string }>(
				`SELECT ${kindWithParent("child")} AS kind FROM sessions AS child WHERE id = $sessionId`,
			)
			.get({ sessionId })?.kind ?? undefined
	);
}

function chainOf({ database }: Connection, sessionId: string): readonly string[] {
	const parentOf = database.query<{ parent: string | null }, { id: string }>(
		"SELECT parent_session_id AS parent FROM sessions WHERE id = $id",
	);
	const chain = [sessionId];
	let parent = parentOf.get({ id: sessionId })?.parent ?? null;
	while (parent !== null && chain.length < deepestChain && !chain.includes(parent)) {
		const above = parentOf.get({ id: parent });
		if (above === null) break;
		chain.unshift(parent);
		parent = above.parent;
	}
	return chain;
}

/** A session without messages is the shell of one that was split: what was said is further down (#15000). */
function resumeTarget(connection: Connection, sessionId: string): string {
	const tip = continuationOf(connection, sessionId);
	if (hasMessages(connection, tip)) return tip;
	const children = connection.database.query<{ id: string }, { id: string }>(
		`SELECT id FROM sessions AS child WHERE parent_session_id = $id AND ${kindWithParent("child")} <> 'delegate'
		ORDER BY started_at DESC, rowid DESC`,
	);
	let level = [tip];
	for (let depth = 0; depth < deepestDescent && level.length > 0; depth++) {
		level = level.flatMap((id) => children.all({ id }).map((child) => child.id));
		const found = level.find((id) => hasMessages(connection, id));
		if (found !== undefined) return found;
	}
	return hasMessages(connection, sessionId) ? sessionId : tip;
}

function hasMessages({ database }: Connection, sessionId: string): boolean {
	return (
		database.query("SELECT 1 FROM messages WHERE session_id = $id AND active = 1 LIMIT 1").get({ id: sessionId }) !==
		null
	);
}

/** Only compression splits one conversation; a branch holds a copy of what came before it. */
function chainMessages(connection: Connection, sessionId: string): readonly StoredMessage[] {
	const chain = chainOf(connection, sessionId);
	const first = chain.findLastIndex((id) => kindOf(connection, id) !== "continuation");
	const all: StoredMessage[] = [];
	for (const id of chain.slice(Math.max(first, 0))) all.push(...withoutCarried(all, messagesOf(connection, id)));
	return all;
}

/** What a compression carries over, a beginning and an end around its summary, stands in the session before already. */
function withoutCarried(before: readonly StoredMessage[], next: readonly StoredMessage[]): readonly StoredMessage[] {
	const summary = next.findIndex(({ message }) => message.role === "user" && message.origin === "summary");
	if (summary < 0) return withoutRepeat(before, next);
	let from = 0;
	// In their order, so that a question which is asked a second time later on is no copy.
	const first = next.findIndex(({ message }, index) => {
		if (index <= summary) return false;
		const at = before.findIndex((earlier, place) => place >= from && isCopy(earlier.message, message));
		from = at + 1;
		return at < 0;
	});
	return [...next.slice(summary, summary + 1), ...(first < 0 ? [] : next.slice(first))];
}

/** A result may have been cut when it was carried over; its call is still the same. */
function isCopy(earlier: Message, message: Message): boolean {
	if (earlier.role !== message.role) return false;
	if (message.role === "tool") return earlier.role === "tool" && earlier.toolCallId === message.toolCallId;
	if (earlier.content !== message.content) return false;
	if (earlier.role !== "assistant" || message.role !== "assistant") return true;
	return earlier.toolCalls.map(({ id }) => id).join() === message.toolCalls.map(({ id }) => id).join();
}

function withoutRepeat(before: readonly StoredMessage[], next: readonly StoredMessage[]): readonly StoredMessage[] {
	const asked = before.findLast(({ message }) => message.role === "user")?.message.content;
	const repeated = next.findIndex(({ message }) => message.role === "user" && message.content === asked);
	const answered = next.findIndex(({ message }) => message.role === "assistant");
	if (repeated < 0 || (answered >= 0 && answered < repeated)) return next;
	return next.toSpliced(repeated, 1);
}

/** One transaction: a death between the end and the new beginning would leave a conversation that nobody can go on with (#80337). */
function continueSession(connection: Connection, sessionId: string, next: NewSession): void {
	requireSession(connection, sessionId);
	endSession(connection, sessionId, "compression");
	const { endedAt } = findSession(connection, sessionId) ?? {};
	const startedAt = Math.max(next.startedAt ?? Date.now() / 1000, endedAt ?? 0);
	insertSession(connection, { ...next, parentSessionId: sessionId, startedAt });
}

function branchSession(
	connection: Connection,
	sessionId: string,
	{ id, throughId = Number.MAX_SAFE_INTEGER }: { readonly id: string; readonly throughId?: number },
): void {
	const { database, write } = connection;
	write(() => {
		requireSession(connection, sessionId);
		const { model_config } = database
			.query<{ model_config: string | null }, { sessionId: string }>(
				"SELECT model_config FROM sessions WHERE id = $sessionId",
			)
			.get({ sessionId }) ?? { model_config: null };
		const { _delegate_from: _, ...config } = modelConfigOf(model_config);
		const modelConfig = JSON.stringify({ ...config, _branched_from: sessionId });
		database.query(copySession).run({ id, sessionId, modelConfig, now: Date.now() / 1000 });
		database.query(copyMessages).run({ id, sessionId, throughId });
		recountMessages(connection, id);
	});
}
