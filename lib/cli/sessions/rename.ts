/** `hermes sessions rename`: a title for a session. */

import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { findSession } from "../runtime/past-session.ts";
import { defineAction } from "../subcommand.ts";
import { openSessions } from "./open-sessions.ts";

/** No two sessions have the same one. */
export const rename = defineAction({
	summary: "Give a session a title",
	operands: "SESSION TITLE...",
	completes: "sessions",
	flagsAnywhere: true,
	flags: jsonFlag,

	async run({ flags: { json }, operands: [name = "", ...words] }, cli) {
		using store = openSessions(cli);
		const { id } = findSession(store, name);
		const title = store.setTitle(id, words.join(" "));
		if (!title.ok) throw new CommandFailed(title.reason);
		if (json) cli.stdout.write(`${JSON.stringify({ id, title: title.value })}\n`);
		else cli.stdout.write(`Session ${id} is "${title.value}"\n`);
		return exitCodes.ok;
	},
});
