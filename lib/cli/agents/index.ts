/** `hermes agents`: sub-agents that work or have worked, whoever runs them. */

import { z } from "zod";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";

const verbs = ["list", "status", "cancel", "merge", "discard", "pause", "resume"] as const;

export default defineAction({
	summary: "List, stop and look after sub-agents",
	details: [
		"hermes agents              those that work, and the latest that have ended",
		"hermes agents status ID    what became of one delegation, with the reports",
		"hermes agents cancel ID    stop it; finished results are kept",
		"hermes agents merge ID     take a change over that a sub-agent made in a place of its own (--task N: of which one)",
		"hermes agents discard ID   throw that change away",
		"hermes agents pause        nothing new is handed out until hermes agents resume; what works goes on",
		"ID is that of a delegation; its beginning is enough.",
	].join("\n"),
	operands: "[VERB] [ID]",
	completes: verbs,
	flags: jsonFlag.extend({
		task: z.coerce
			.number()
			.int()
			.min(0)
			.optional()
			.meta({ value: "N", description: "With merge and discard: the number of the task" }),
		all: z.boolean().default(false).meta({ description: "List all that are kept, not the latest alone" }),
	}),

	async run({ flags, operands: [verb = "list", id] }, cli) {
		const known = verbs.find((one) => one === verb);
		if (known === undefined) throw new UsageError(`Cannot "${verb}" sub-agents: there is ${verbs.join(", ")}`);
		if (known === "list") return await list(cli, flags);
		if (known === "pause" || known === "resume") return await setPause(cli, known);
		if (id === undefined) throw new UsageError(`Cannot ${known}: name the delegation, as hermes agents lists it`);
		const request = { id, isJson: flags.json };
		if (known === "status") return (await import("./status.ts")).showStatus(cli, request);
		if (known === "cancel") return (await import("./cancel.ts")).cancelDelegation(cli, request);
		return (await import("./change.ts")).settleChange(cli, { ...request, action: known, task: flags.task });
	},
});

async function list(cli: Cli, { json, all }: { readonly json: boolean; readonly all: boolean }): Promise<number> {
	const [{ openRecords, recordFolder, statusOf }, { listText }] = await Promise.all([
		import("../../agent/delegate/records.ts"),
		import("./shown.ts"),
	]);
	const records = openRecords(recordFolder(cli.environment.hermesHome)).list();
	const shown = records.filter(({ status }, index) => all || status === "running" || index < latest);
	const statuses = shown.map((record) => ({ ...statusOf(record, Date.now()), session_id: record.session_id }));
	cli.stdout.write(json ? `${JSON.stringify(statuses, null, 2)}\n` : listText(statuses));
	return exitCodes.ok;
}

async function setPause(cli: Cli, verb: "pause" | "resume"): Promise<number> {
	const { openRecords, recordFolder } = await import("../../agent/delegate/records.ts");
	const records = openRecords(recordFolder(cli.environment.hermesHome));
	if (verb === "pause") records.pause();
	else records.unpause();
	cli.stdout.write(verb === "pause" ? "Nothing new is handed out to sub-agents\n" : "Tasks may be handed out again\n");
	return exitCodes.ok;
}

/** Delegations that are listed though they are over. */
const latest = 10;
