/** The four answers of `session_search`: what was found, a piece of a session, a whole one, the latest ones. */

import { attempt } from "../../base/attempt.ts";
import type { PastSessions } from "../../registry/agent-state.ts";
import { type ToolAnswer, toolError, toolResult } from "../../registry/tool.ts";
import type { ArchivedSession, SessionArchive } from "../../store/search/archive.ts";
import { hiddenSources } from "../../store/search/find-messages.ts";
import type { SearchHit } from "../../store/search/search-messages.ts";
import { type ShownLengths, shownMessage, shownWhen } from "./shown.ts";

type Archive = PastSessions["archive"];

/** What to look for. */
export interface DiscoverOptions {
	readonly query: string;
	readonly limit: number;
	readonly sort?: "newest" | "oldest" | undefined;
	readonly roles: readonly string[];
}

/** Messages around a hit, and first and last words of a session, that a search shows. */
const hitWindow = 5;
const bookends = 3;
/** Messages of a session that is read as a whole. */
const readHead = 20;
const readTail = 10;
const browsed = 10;

const inSearch: ShownLengths = { spoken: 1_000, tool: 300 };
const inSession: ShownLengths = { spoken: 4_000, tool: 1_000 };

/** The best message of each conversation, with what was said around it. */
export function discover({ archive, sessionId }: PastSessions, options: DiscoverOptions): ToolAnswer {
	const { query, limit, sort, roles } = options;
	const { hits, loosened, problem } = archive.search({ query, limit, sort, roles, without: sessionId });
	const results = hits.map((hit) => discovered(archive, hit));
	const notes = [
		results.length === 0
			? "Nothing was found. Try other or fewer words, OR between them, or a beginning with *"
			: undefined,
		loosened === "endings" ? "No message has these very words; these have words that begin with them" : undefined,
		loosened === "some" ? "No message has all of these words; these have some of them" : undefined,
		problem,
	].filter((note) => note !== undefined);
	return toolResult({
		success: true,
		mode: "discover",
		query,
		results,
		count: results.length,
		sessions_searched: new Set(hits.map(({ sessionId }) => sessionId)).size,
		message: notes.length === 0 ? undefined : notes.join(". "),
	});
}

function discovered(archive: Archive, hit: SearchHit) {
	const { sessionId, messageId } = hit;
	const window = archive.messagesAround({ sessionId, anchor: messageId, size: hitWindow });
	const ends = archive.spokenEnds(sessionId, bookends);
	const parent = archive.get(sessionId)?.parentSessionId;
	return {
		session_id: sessionId,
		when: shownWhen(hit.timestamp),
		source: hit.source,
		model: hit.model,
		title: hit.title,
		matched_role: hit.role,
		match_message_id: messageId,
		snippet: hit.snippet,
		bookend_start: ends.start.map((message) => shownMessage(message, inSearch)),
		messages: window?.messages.map((message) => shownMessage(message, inSearch, messageId)) ?? [],
		bookend_end: ends.end.map((message) => shownMessage(message, inSearch)),
		messages_before: window?.before ?? 0,
		messages_after: window?.after ?? 0,
		...(parent != null && { parent_session_id: parent }),
	};
}

/** A window around one message. An id of another session of the same conversation is followed to its own. */
export function scroll(
	past: PastSessions,
	archive: Archive,
	{ sessionId, anchor, size }: { readonly sessionId: string; readonly anchor: number; readonly size: number },
): ToolAnswer {
	const refused = refusalOf(past, archive, sessionId);
	if (refused !== undefined) return refused;
	const owner = archive.sessionOfMessage(anchor);
	if (owner === undefined || archive.rootOf(owner) !== archive.rootOf(sessionId)) {
		return toolError(`Cannot scroll to message ${anchor}: session "${sessionId}" has no such message`, {
			success: false,
		});
	}
	const window = archive.messagesAround({ sessionId: owner, anchor, size });
	if (window === undefined) {
		return toolError(`Cannot scroll to message ${anchor}: it was taken back`, { success: false });
	}
	return toolResult({
		success: true,
		mode: "scroll",
		session_id: owner,
		messages: window.messages.map((message) => shownMessage(message, inSession, anchor)),
		messages_before: window.before,
		messages_after: window.after,
	});
}

/** The beginning and the end of a session. */
export function read(past: PastSessions, archive: Archive, sessionId: string): ToolAnswer {
	const refused = refusalOf(past, archive, sessionId);
	const session = archive.get(sessionId);
	if (refused !== undefined || session === undefined) return refused ?? unknownSession(sessionId);
	const { head, tail, gap, total } = archive.endsOf({ sessionId, head: readHead, tail: readTail });
	const [before, after] = [head.at(-1)?.id, tail[0]?.id];
	return toolResult({
		success: true,
		mode: "read",
		session_id: sessionId,
		...facts(session),
		message_count: total,
		messages: [...head, ...tail].map((message) => shownMessage(message, inSession)),
		message:
			gap === 0
				? undefined
				: `${gap} messages between ${before} and ${after} are left out; around_message_id shows what is around one`,
	});
}

/** The sessions that were active last. */
export function browse({ archive, sessionId }: PastSessions): ToolAnswer {
	const sessions = archive.browse({ limit: browsed, without: sessionId });
	return toolResult({
		success: true,
		mode: "browse",
		results: sessions.map((session) => ({
			session_id: session.id,
			title: session.title,
			source: session.source,
			started_at: shownWhen(session.startedAt),
			last_active: shownWhen(session.lastActive),
			message_count: session.messageCount,
			preview: session.preview,
		})),
		count: sessions.length,
	});
}

/** Runs `use` with the sessions that have `sessionId`: ours, those of the named profile, or of the one that knows it. */
export function inArchiveOf(
	past: PastSessions,
	{ sessionId, profile }: { readonly sessionId: string; readonly profile?: string | undefined },
	use: (archive: Archive) => ToolAnswer,
): ToolAnswer {
	if (profile === undefined && past.archive.get(sessionId) !== undefined) return use(past.archive);
	for (const name of profile === undefined ? past.profiles() : [profile]) {
		const opened = attempt(() => past.openProfile(name));
		if (!opened.ok) {
			if (profile !== undefined) return toolError(opened.reason, { success: false });
			continue;
		}
		using archive: SessionArchive = opened.value;
		const known = attempt(() => archive.get(sessionId));
		if (known.ok && known.value !== undefined) return use(archive);
	}
	return unknownSession(sessionId);
}

function facts({ source, model, title, startedAt }: ArchivedSession) {
	return { title, source, model, when: shownWhen(startedAt) };
}

/** What is in the context anyway would only be there twice; what is hidden stays so. */
function refusalOf(past: PastSessions, archive: Archive, sessionId: string): ToolAnswer | undefined {
	const session = archive.get(sessionId);
	if (session === undefined) return unknownSession(sessionId);
	if (archive === past.archive && archive.rootOf(sessionId) === archive.rootOf(past.sessionId)) {
		return toolError(`Cannot read session "${sessionId}": it is this conversation, which you have already`, {
			success: false,
		});
	}
	if (!hiddenSources.includes(session.source)) return undefined;
	return toolError(`Cannot read session "${sessionId}": it is a run of a ${session.source}, not a conversation`, {
		success: false,
	});
}

function unknownSession(sessionId: string): ToolAnswer {
	return toolError(`Cannot find session "${sessionId}"; call session_search without arguments for the latest ones`, {
		success: false,
	});
}
