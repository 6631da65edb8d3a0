/** Sessions out of the database and into it, with every column. */

import { z } from "zod";
import type { ExportedSession, TransferStore } from "./store.ts";
import { isUnspaced } from "./unspaced.ts";
import type { Connection } from "./write.ts";

type Row = Record<string, string | number | null>;

const rowShape = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const exportShape = z.object({
	session: rowShape.and(z.object({ id: z.string().min(1), source: z.string(), started_at: z.number() })),
	messages: z.array(rowShape.and(z.object({ role: z.string(), timestamp: z.number() }))),
});

/** The part of the store that is about export and import. */
export function createTransfer(connection: Connection, nextTitle: (title: string) => string): TransferStore {
	const { write } = connection;
	return {
		exportSessions: (ids) => exportSessions(connection, ids),
		importSession(exported) {
			const { session, messages } = exportShape.parse(exported);
			return write(() => importSession(connection, { session, messages }, nextTitle));
		},
	};
}

function* exportSessions({ database, read }: Connection, ids?: readonly string[]): Generator<ExportedSession> {
	const all =
		ids ??
		read(() => database.query<{ id: string }, []>("SELECT id FROM sessions ORDER BY started_at, rowid").all()).map(
			({ id }) => id,
		);
	for (const id of all) {
		const found = read(() => {
			const session = database.query<Row, { id: string }>("SELECT * FROM sessions WHERE id = $id").get({ id });
			const messages = database
				.query<Row, { id: string }>("SELECT * FROM messages WHERE session_id = $id ORDER BY id")
				.all({ id });
			return session === null ? undefined : { session, messages };
		});
		if (found !== undefined) yield found;
	}
}

function importSession(
	{ database }: Connection,
	{ session, messages }: ExportedSession,
	nextTitle: (title: string) => string,
): boolean {
	const has = (id: unknown) =>
		typeof id === "string" && database.query("SELECT 1 FROM sessions WHERE id = ?").get(id) !== null;
	if (has(session.id)) return false;
	const { parent_session_id: parent = null, title = null } = session;
	insert(connectionTable(database, "sessions"), {
		...session,
		parent_session_id: has(parent) ? parent : null,
		title: typeof title === "string" ? nextTitle(title) : null,
	});
	const table = connectionTable(database, "messages");
	for (const { id: _, ...message } of messages) {
		const texts = [message.content, message.tool_calls].map((text) => (typeof text === "string" ? text : null));
		insert(table, { ...message, session_id: session.id ?? null, unspaced: isUnspaced(...texts) ? 1 : 0 });
	}
	return true;
}

interface Table {
	readonly columns: ReadonlySet<string>;
	add(names: readonly string[], values: readonly (string | number | null)[]): void;
}

function connectionTable(database: Connection["database"], name: "sessions" | "messages"): Table {
	const columns = database.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${name}')`).all();
	return {
		columns: new Set(columns.map((column) => column.name)),
		add(names, values) {
			const marks = names.map(() => "?").join(",");
			database.query(`INSERT INTO ${name} (${names.join(",")}) VALUES (${marks})`).run(...values);
		},
	};
}

/** Columns that we do not know come from another version and are left out. */
function insert(table: Table, row: Readonly<Row>): void {
	const known = Object.entries(row).filter(([name]) => table.columns.has(name));
	table.add(
		known.map(([name]) => name),
		known.map(([, value]) => value),
	);
}
