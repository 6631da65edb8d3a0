/** A session in a list: what it is called, and how it begins. */

import { shownTime } from "../base/shown-time.ts";
import { contentText } from "../store/search/message-text.ts";
import type { Store, StoredSession } from "../store/store.ts";

/** What a list knows of a session besides its row. */
export interface ListedSession {
	readonly session: StoredSession;
	/** The beginning of what the user said first. */
	readonly preview: string;
	/** A turn was under way when it was last written. */
	readonly isInterrupted: boolean;
}

const previewLength = 70;

/** A session with what a list says of it. */
export function listedSession(store: Store, session: StoredSession): ListedSession {
	const first = store.read((database) =>
		database
			.query<{ content: string | null }, [string]>(
				"SELECT content FROM messages WHERE session_id = ? AND active = 1 AND role = 'user' ORDER BY id LIMIT 1",
			)
			.get(session.id),
	);
	return {
		session,
		preview: pieceOf(contentText(first?.content ?? ""), previewLength),
		isInterrupted: store.isInterrupted(session.id),
	};
}

/** A session on one line, without the line end. Names are as they were given: not yet safe for a terminal. */
export function sessionText({ session, preview, isInterrupted }: ListedSession): string {
	const interrupted = isInterrupted ? ["interrupted"] : [];
	const about = [session.source, `${session.messageCount} messages`, ...interrupted].join(", ");
	return `${session.id}  ${shownTime(session.startedAt * 1000)}  ${session.title ?? preview}  (${about})`;
}

/** A piece of a message on one line. */
export function pieceOf(text: string, length: number): string {
	const line = text.replace(/\s+/g, " ").trim();
	return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
