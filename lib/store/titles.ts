/** Names that people give to sessions: unique, on one line, and numbered when one is used again. */

import type { Attempt } from "../base/attempt.ts";
import { requireSession } from "./messages.ts";
import { errorCode } from "./refusal.ts";
import { type SessionRow, sessionOf } from "./session-row.ts";
import type { StoredSession, TitleStore } from "./store.ts";
import type { Connection } from "./write.ts";

const longestTitle = 100;

/** Controls, zero-width characters and marks of direction: they make two titles look alike. */
const unseen = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** `title` as it is stored: without what cannot be seen, spaces collapsed. */
function cleanTitle(title: string): string {
	return title.replace(/\s/g, " ").replace(unseen, "").replace(/ +/g, " ").trim();
}

/** The part of the store that is about titles. */
export function createTitles(connection: Connection): TitleStore {
	const { database, write, read } = connection;
	return {
		setTitle: (sessionId, title) => setTitle(connection, sessionId, title),
		findByTitle: (title) => read(() => findByTitle(connection, title)),
		nextTitle: (title) => read(() => nextTitle(connection, title)),
	};

	function setTitle(connection: Connection, sessionId: string, given: string): Attempt<string> {
		const title = cleanTitle(given);
		if (title === "") return { ok: false, reason: `Cannot name session "${sessionId}": the title is empty` };
		const length = [...title].length;
		if (length > longestTitle) {
			return {
				ok: false,
				reason: `Cannot name session "${sessionId}": the title has ${length} characters and may have ${longestTitle}`,
			};
		}
		try {
			write(() => {
				requireSession(connection, sessionId);
				database.query("UPDATE sessions SET title = $title WHERE id = $sessionId").run({ sessionId, title });
			});
			return { ok: true, value: title };
		} catch (cause) {
			// Looking first would be a race; the index decides.
			if (!isTaken(cause)) throw cause;
			const owner = read(() =>
				database
					.query<{ id: string }, { title: string }>("SELECT id FROM sessions WHERE title = $title")
					.get({ title }),
			);
			return { ok: false, reason: `Cannot use the title "${title}": session "${owner?.id ?? "?"}" has it` };
		}
	}
}

function isTaken(cause: unknown): boolean {
	const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
	return errorCode(inner) === "SQLITE_CONSTRAINT_UNIQUE";
}

interface Numbered {
	readonly base: string;
	readonly number: number;
}

function numbered(title: string): Numbered {
	const found = /^(.*\S) #(\d{1,9})$/.exec(title);
	return found === null ? { base: title, number: 1 } : { base: found[1] ?? title, number: Number(found[2]) };
}

/** All sessions of the line of `base`, the highest number first. */
function lineOf({ database }: Connection, base: string): readonly { row: SessionRow; number: number }[] {
	return database
		.query<SessionRow, { base: string; pattern: string }>(
			`SELECT * FROM sessions WHERE title = $base OR title LIKE $pattern ESCAPE '\\'`,
		)
		.all({ base, pattern: `${base.replace(/[\\%_]/g, "\\$&")} #%` })
		.map((row) => ({ row, ...numbered(row.title ?? "") }))
		.filter((found) => found.base === base)
		.toSorted((a, b) => b.number - a.number);
}

function findByTitle(connection: Connection, given: string): StoredSession | undefined {
	const title = cleanTitle(given);
	const wanted = numbered(title);
	const line = lineOf(connection, wanted.base === title ? title : wanted.base);
	const found = wanted.base === title ? line[0] : line.find(({ row }) => row.title === title);
	return found === undefined ? undefined : sessionOf(found.row);
}

function nextTitle(connection: Connection, given: string): string {
	const { base } = numbered(cleanTitle(given));
	const highest = lineOf(connection, base)[0]?.number;
	return highest === undefined ? base : `${base} #${highest + 1}`;
}
