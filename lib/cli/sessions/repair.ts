/** `hermes sessions repair`: looks through the whole database, and mends what is wrong. */

import { existsSync } from "node:fs";
import { openStore } from "../../store/database.ts";
import { type Repair, repairStore } from "../../store/repair.ts";
import { StoreRefused } from "../../store/store.ts";
import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { defineAction } from "../subcommand.ts";
import { storePath } from "./open-sessions.ts";

/** What is damaged is kept beside it as it was. */
export const repair = defineAction({
	summary: "Check the database and mend what is wrong",
	details:
		"A damaged search index is made anew. From a damaged file every message that can still be read is saved into a new one; the old one is kept beside it. Exit code 1 when something is left that this cannot mend.",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const path = storePath(cli);
		if (!existsSync(path)) throw new CommandFailed(`Cannot read sessions: "${path}" has none yet`);
		const found = problemsOf(path);
		const repaired = found.length === 0 ? undefined : repairStore(path);
		const left = repaired === undefined ? [] : problemsOf(path);
		const answer = json ? [JSON.stringify({ found, left, ...repaired }, null, 2)] : linesOf(found, left, repaired);
		cli.stdout.write(answer.map((line) => `${line}\n`).join(""));
		return left.length === 0 ? exitCodes.ok : exitCodes.failure;
	},
});

function linesOf(found: readonly string[], left: readonly string[], repaired: Repair | undefined): readonly string[] {
	return [
		...found.map((problem) => `found: ${visible(problem)}`),
		...left.map((problem) => `left:  ${visible(problem)}`),
		...(repaired?.kept === undefined ? [] : [`The damaged file is kept as ${visible(repaired.kept)}`]),
		...(repaired?.outcome === "saved" ? [`${repaired.lost} rows could not be read`] : []),
		left.length === 0 ? "The database is sound" : "Not everything could be mended: export what can be read",
	];
}

/** A file that cannot even be opened is one that repairing is for. */
function problemsOf(path: string): readonly string[] {
	try {
		using store = openStore(path);
		return store.check();
	} catch (cause) {
		if (cause instanceof StoreRefused) return [cause.message];
		throw cause;
	}
}
