/** `hermes sessions prune`: old sessions go for good. */

import { z } from "zod";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { isAgreed } from "../runtime/agreed.ts";
import { defineAction } from "../subcommand.ts";
import { forgetDelegations } from "./forget-delegations.ts";
import { openSessionsIfAny } from "./open-sessions.ts";

/** Only sessions that have ended, and none that a younger one goes back to. */
export const prune = defineAction({
	summary: "Delete sessions that ended long ago",
	flags: jsonFlag.extend({
		olderThan: z.coerce
			.number()
			.min(0)
			.default(90)
			.meta({ value: "DAYS", description: "Days since they ended (default: 90)" }),
		source: z.string().optional().meta({ value: "S", description: "Only those that began there" }),
		dryRun: z.boolean().default(false).meta({ description: "Say which would go, and leave them" }),
		yes: z.boolean().default(false).meta({ short: "y", description: "Do not ask" }),
	}),

	async run({ flags }, cli) {
		using store = openSessionsIfAny(cli);
		const options = { days: flags.olderThan, ...(flags.source !== undefined && { source: flags.source }) };
		const found = store?.prune({ ...options, dryRun: true }) ?? [];
		const question = `Delete ${found.length} sessions for good?`;
		const goes = !flags.dryRun && found.length > 0 && (await isAgreed(cli, question, flags));
		const gone = goes ? (store?.prune(options) ?? []) : [];
		forgetDelegations(cli, gone);
		if (flags.json)
			cli.stdout.write(`${JSON.stringify({ found: found.length, deleted: gone.length, ids: goes ? gone : found })}\n`);
		else if (flags.dryRun)
			cli.stdout.write([...found.map((id) => `${id}\n`), `${found.length} sessions would go\n`].join(""));
		else cli.stdout.write(`Deleted ${gone.length} sessions\n`);
		return exitCodes.ok;
	},
});
