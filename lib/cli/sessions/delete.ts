/** `hermes sessions delete`: sessions go for good. */

import { z } from "zod";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { isAgreed } from "../runtime/agreed.ts";
import { findSession } from "../runtime/past-session.ts";
import { defineAction } from "../subcommand.ts";
import { forgetDelegations } from "./forget-delegations.ts";
import { openSessions } from "./open-sessions.ts";

/** Asked first at a terminal; elsewhere `--yes` must be said. */
export const deleteSessions = defineAction({
	summary: "Delete sessions for good",
	details: "What a session delegated goes with it; its branches and continuations stay.",
	operands: "SESSION...",
	completes: "sessions",
	flagsAnywhere: true,
	flags: jsonFlag.extend({ yes: z.boolean().default(false).meta({ short: "y", description: "Do not ask" }) }),

	async run({ flags, operands }, cli) {
		using store = openSessions(cli);
		const ids = [...new Set(operands.map((name) => findSession(store, name).id))];
		if (!(await isAgreed(cli, `Delete ${ids.join(", ")} for good?`, flags))) {
			cli.stderr.write("Nothing was deleted\n");
			return exitCodes.failure;
		}
		const deleted = ids.flatMap((id) => store.deleteSession(id));
		forgetDelegations(cli, deleted);
		if (flags.json) cli.stdout.write(`${JSON.stringify({ deleted })}\n`);
		else cli.stdout.write(`Deleted ${deleted.join(", ")}\n`);
		return exitCodes.ok;
	},
});
