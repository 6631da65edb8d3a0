/** Lists of sessions for the commands that need one. */

import { archiveOf } from "../store/search/archive.ts";
import type { Completion } from "./command.ts";
import { type CommandConversation, keptStore } from "./conversation.ts";
import { listedSession, sessionText } from "./listed-session.ts";

const listedSessions = 10;
const offeredSessions = 30;

/** The latest sessions, or those that a search for `query` finds; the one that is open is marked. */
export function foundSessions(conversation: CommandConversation, query: string): string {
	const store = keptStore(conversation);
	const archive = archiveOf((work) => store.read(work));
	const ids =
		query === ""
			? archive.browse({ limit: listedSessions }).map(({ id }) => id)
			: archive.search({ query, limit: listedSessions }).hits.map(({ sessionId }) => sessionId);
	const lines = ids.flatMap((id) => {
		const session = store.getSession(id);
		const mark = id === conversation.sessionId ? "* " : "  ";
		return session === undefined ? [] : [`${mark}${sessionText(listedSession(store, session))}`];
	});
	return lines.length === 0 ? "Nothing was found" : lines.join("\n");
}

/** Sessions for completion: their ids, with their titles or first words. */
export function offeredSessionNames(conversation: CommandConversation): readonly Completion[] {
	const { store } = conversation;
	if (store === undefined) return [];
	return archiveOf((work) => store.read(work))
		.browse({ limit: offeredSessions })
		.flatMap(({ id }) => {
			const session = id === conversation.sessionId ? undefined : store.getSession(id);
			if (session === undefined) return [];
			return [{ value: id, description: session.title ?? listedSession(store, session).preview }];
		});
}
