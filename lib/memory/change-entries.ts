/** Changes to a list of notes, as pure functions: what becomes of it, or why it stays. */

import { findThreats } from "../security/threats/find-threats.ts";
import { breaksApart, sizeOf } from "./entries.ts";

/** What is to be done. `oldText` is any part of one entry that no other entry has. */
export type NotesChange =
	| { readonly action: "add"; readonly content: string }
	| { readonly action: "replace"; readonly oldText: string; readonly content: string }
	| { readonly action: "remove"; readonly oldText: string };

/** The new list, or why nothing changed: written for the model. */
export type Changed =
	| { readonly ok: true; readonly entries: readonly string[]; readonly message: string }
	| { readonly ok: false; readonly error: string };

/** Applies `change`; `limit` counts characters of the whole list. */
export function changeEntries(entries: readonly string[], change: NotesChange, limit: number): Changed {
	if (change.action === "remove") return remove(entries, change.oldText);
	const content = change.content.trim();
	const refused = refusedContent(content);
	if (refused !== undefined) return { ok: false, error: refused };
	const changed =
		change.action === "add" ? add(entries, content) : replace(entries, { oldText: change.oldText, content });
	if (!changed.ok) return changed;
	const used = sizeOf(changed.entries);
	// A list that shrinks may stay over a limit that was lowered: else it could never be tidied up.
	if (used <= limit || used < sizeOf(entries)) return changed;
	return {
		ok: false,
		error: `Cannot ${change.action} this note: the notes would have ${used} characters and may have ${limit}. Shorten, merge or remove entries first, then try again in this turn`,
	};
}

function refusedContent(content: string): string | undefined {
	if (content === "") return "Cannot write an empty note: say what to remember in content";
	if (breaksApart(content)) return "Cannot write a note with a line that holds only §: that line separates notes";
	const [threat] = findThreats(content, "strict");
	if (threat === undefined) return undefined;
	return `Cannot write this note: ${threat.what} (${threat.id}). Notes are read in every session; write what you learned in other words`;
}

function add(entries: readonly string[], content: string): Changed {
	if (entries.includes(content)) return { ok: true, entries, message: "This note is there already" };
	return { ok: true, entries: [...entries, content], message: "Note added" };
}

function replace(
	entries: readonly string[],
	{ oldText, content }: { readonly oldText: string; readonly content: string },
): Changed {
	const found = findEntry(entries, oldText);
	if (!found.ok) return found;
	const replaced = entries.map((entry) => (entry === found.entry ? content : entry));
	return { ok: true, entries: [...new Set(replaced)], message: "Note replaced" };
}

function remove(entries: readonly string[], oldText: string): Changed {
	const found = findEntry(entries, oldText);
	if (!found.ok) return found;
	return { ok: true, entries: entries.filter((entry) => entry !== found.entry), message: "Note removed" };
}

const previewLength = 80;

type Found = { readonly ok: true; readonly entry: string } | { readonly ok: false; readonly error: string };

function findEntry(entries: readonly string[], oldText: string): Found {
	const sought = oldText.trim();
	if (sought === "") return { ok: false, error: "Cannot find the note: give a part of its text in old_text" };
	const exact = entries.filter((entry) => entry === sought);
	const matches = exact.length > 0 ? exact : entries.filter((entry) => entry.includes(sought));
	const [entry, other] = matches;
	if (entry === undefined) return { ok: false, error: `Cannot find a note with ${JSON.stringify(sought)} in it` };
	if (other === undefined) return { ok: true, entry };
	const previews = matches.map((match) => JSON.stringify(match.slice(0, previewLength))).join(", ");
	return {
		ok: false,
		error: `Cannot tell which note is meant: ${matches.length} have this text (${previews}). Give more of it in old_text`,
	};
}
