/** `hermes approvals list`: consents that were given for good. */

import { savedApprovals } from "../../security/approval/saved-approvals.ts";
import { commonFlags, jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { defineAction } from "../subcommand.ts";

/** Shows what hermes need not ask about again. */
export const list = defineAction({
	summary: "List what you agreed to for good",
	details: "One danger of one command a line; the id is for hermes approvals revoke.",
	flags: commonFlags.extend(jsonFlag.shape),

	async run({ flags }, cli) {
		const saved = savedApprovals(cli.environment.hermesHome);
		const problem = saved.problem();
		if (problem !== undefined) cli.stderr.write(`hermes: saved consents do not count: ${problem}\n`);
		const approvals = saved.list();
		if (flags.json) {
			const shown = approvals.map(({ key: _, ...approval }) => approval);
			cli.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
			return exitCodes.ok;
		}
		if (approvals.length === 0) cli.stdout.write("Nothing was agreed to for good\n");
		for (const { id, category, subject, place, cwd } of approvals) {
			const where = cwd === undefined ? place : `${place}:${visible(cwd)}`;
			cli.stdout.write(`${id}  ${category}  ${where}  ${visible(subject).replaceAll("\n", " ⏎ ")}\n`);
		}
		return exitCodes.ok;
	},
});
