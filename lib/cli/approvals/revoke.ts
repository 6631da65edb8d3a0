/** `hermes approvals revoke`: hermes asks again. */

import { z } from "zod";
import { savedApprovals } from "../../security/approval/saved-approvals.ts";
import { commonFlags, jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes, UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Takes consents back; it counts at once, also in sessions that are open. */
export const revoke = defineAction({
	summary: "Take back consents that were given for good",
	details: "The beginning of an id is enough when it fits one consent only.",
	operands: "[ID...]",
	completes: "approvals",
	flags: commonFlags.extend({
		...jsonFlag.shape,
		all: z.boolean().default(false).meta({ description: "All of them" }),
	}),

	async run({ flags, operands }, cli) {
		if (flags.all === operands.length > 0) {
			throw new UsageError("Cannot revoke: name ids of hermes approvals list, or give --all");
		}
		const removed = await savedApprovals(cli.environment.hermesHome).revoke(flags.all ? "all" : operands);
		const missing = operands.find((id) => !removed.some((one) => one.id.startsWith(id)));
		if (missing !== undefined) {
			throw new CommandFailed(
				`Cannot revoke "${missing}": there is no such consent, or more than one begins so; hermes approvals list shows them`,
			);
		}
		if (flags.json) cli.stdout.write(`${JSON.stringify({ revoked: removed.map(({ id }) => id) })}\n`);
		else cli.stdout.write(`Revoked ${removed.length}\n`);
		return exitCodes.ok;
	},
});
