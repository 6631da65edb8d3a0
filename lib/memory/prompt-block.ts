/** What a session is told of the notes at its start. */

import { findThreats } from "../security/threats/find-threats.ts";
import type { Notes, NotesState, NotesTarget } from "./notes.ts";

const rule = "═".repeat(46);

const headers: Readonly<Record<NotesTarget, string>> = {
	memory: "MEMORY (your personal notes)",
	user: "USER PROFILE (who the user is)",
};

/**
 * The block for the system prompt; empty when there is nothing to tell. It is built once per session: a prompt that changed with
 * every note would never be cached. A note that holds an attack is left out here and stays in its file, for the user to see.
 */
export function notesBlock(notes: Notes, targets: readonly NotesTarget[]): string {
	return targets
		.map((target) => ({ target, state: notes.read(target) }))
		.filter(({ state }) => state.entries.length > 0)
		.map(({ target, state }) => [rule, `${headers[target]} [${fullness(state)}]`, rule, safeEntries(state)].join("\n"))
		.join("\n\n");
}

/** `45% — 990/2200 chars`. */
export function fullness({ used, limit }: NotesState): string {
	const percent = limit === 0 ? 100 : Math.min(100, Math.round((used / limit) * 100));
	return `${percent}% — ${used}/${limit} chars`;
}

function safeEntries({ entries }: NotesState): string {
	return entries
		.map((entry) => {
			const [threat] = findThreats(entry, "strict");
			return threat === undefined
				? entry
				: `[A note was left out: ${threat.what}. Action "list" shows it, "remove" deletes it.]`;
		})
		.join("\n§\n");
}
