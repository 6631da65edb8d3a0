/** `hermes sessions branch`: a copy of a session that goes its own way. */

import { z } from "zod";
import { createSessionId } from "../../store/session-id.ts";
import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { findSession } from "../runtime/past-session.ts";
import { defineAction } from "../subcommand.ts";
import { openSessions } from "./open-sessions.ts";

/** The session itself stays as it is. */
export const branch = defineAction({
	summary: "Begin a new session with what was said in another one",
	operands: "SESSION",
	completes: "sessions",
	flags: jsonFlag.extend({
		through: z.coerce
			.number()
			.int()
			.optional()
			.meta({ value: "MESSAGE", description: "The last message that is taken along, by its number in show" }),
		title: z.string().optional().meta({ value: "TITLE", description: "Title of the branch" }),
	}),

	async run({ flags: { json, through, title }, operands: [name = ""] }, cli) {
		using store = openSessions(cli);
		const origin = findSession(store, name);
		const id = createSessionId();
		store.branchSession(origin.id, { id, ...(through !== undefined && { throughId: through }) });
		const wanted = title ?? (origin.title === null ? undefined : store.nextTitle(origin.title));
		const named = wanted === undefined ? undefined : store.setTitle(id, wanted);
		if (named?.ok === false) {
			store.deleteSession(id);
			throw new CommandFailed(named.reason);
		}
		if (json)
			cli.stdout.write(`${JSON.stringify({ id, parent_session_id: origin.id, title: named?.value ?? null })}\n`);
		else cli.stdout.write(`Session ${id} goes on from ${origin.id}; hermes --resume ${id}\n`);
		return exitCodes.ok;
	},
});
