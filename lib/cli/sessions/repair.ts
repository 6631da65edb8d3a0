/** `hermes sessions repair`: looks through the whole database, and makes the search index anew. */

import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { defineAction } from "../subcommand.ts";
import { openSessions } from "./open-sessions.ts";

/** Messages are only read; the index is made from them. */
export const repair = defineAction({
	summary: "Check the database and make its search index anew",
	details: "Messages are never changed. Exit code 1 when something is wrong that this cannot mend.",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		using store = openSessions(cli);
		const found = store.check();
		store.rebuildIndex();
		const left = store.check();
		if (json) cli.stdout.write(`${JSON.stringify({ found, left }, null, 2)}\n`);
		else {
			for (const problem of found) cli.stdout.write(`found: ${visible(problem)}\n`);
			for (const problem of left) cli.stdout.write(`left:  ${visible(problem)}\n`);
			cli.stdout.write(
				left.length === 0
					? "The database is sound; the search index was made anew\n"
					: "Not everything could be mended: export what can be read\n",
			);
		}
		return left.length === 0 ? exitCodes.ok : exitCodes.failure;
	},
});
