/** `hermes sessions list`: the latest sessions. */

import { z } from "zod";
import { listedSession } from "../../commands/listed-session.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { openSessionsIfAny } from "./open-sessions.ts";
import { sessionLine, sessionRow } from "./shown.ts";

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
