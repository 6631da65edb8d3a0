/** `hermes sessions list`: the latest sessions. */

import { z } from "zod";
import { contentText } from "../../store/search/message-text.ts";
import type { Store, StoredSession } from "../../store/store.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { openSessionsIfAny } from "./open-sessions.ts";
import { type ListedSession, oneLine, sessionLine, sessionRow } from "./shown.ts";

const previewLength = 70;

/** Newest first. */
export const list = defineAction({
	summary: "List the latest sessions",
	details:
		"A conversation that was compressed is listed once, as its newest part; delegated and empty ones only with --all.",
	flags: jsonFlag.extend({
		limit: z.coerce
			.number()
			.int()
			.min(1)
			.default(20)
			.meta({ short: "n", value: "N", description: "Sessions to list (default: 20)" }),
		source: z
			.string()
			.optional()
			.meta({ value: "S", description: "Only those that began there: cli, cron, telegram, …" }),
		all: z.boolean().default(false).meta({ description: "Also archived, delegated, compressed and empty ones" }),
	}),

	async run({ flags: { json, limit, source, all } }, cli) {
		using store = openSessionsIfAny(cli);
		const found = store?.listSessions({
			limit: all ? limit : limit * 4,
			...(source !== undefined && { source }),
			...(all ? { archived: true } : { roots: true }),
		});
		const sessions = (found ?? []).filter(({ messageCount }) => all || messageCount > 0).slice(0, limit);
		const listed = store === undefined ? [] : sessions.map((session) => listedSession(store, session));
		if (json) cli.stdout.write(`${JSON.stringify(listed.map(sessionRow), null, 2)}\n`);
		else if (listed.length === 0) cli.stdout.write("There are no sessions yet\n");
		else for (const session of listed) cli.stdout.write(sessionLine(session));
		return exitCodes.ok;
	},
});

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
		preview: oneLine(contentText(first?.content ?? ""), previewLength),
		isInterrupted: store.isInterrupted(session.id),
	};
}
