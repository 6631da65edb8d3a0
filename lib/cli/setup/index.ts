/** `hermes setup`: from nothing to a hermes that works, step by step. */

import { z } from "zod";
import { UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { sectionNames } from "./section-names.ts";

export default defineAction({
	summary: "Set hermes up: who answers, where commands run, which tools there are",
	details: [
		"Each part is saved when it is complete, so that Ctrl-C loses none of those before. Run again, it shows what is set; Enter keeps it.",
		"Without a terminal it prints the commands that do the same.",
	].join("\n"),
	operands: "[SECTION]",
	completes: sectionNames,
	flags: z.object({
		nonInteractive: z.boolean().default(false).meta({ description: "Print the commands, ask nothing" }),
	}),

	async run({ flags: { nonInteractive }, operands: [named] }, cli) {
		const section = sectionNames.find((name) => name === named);
		if (named !== undefined && section === undefined) {
			throw new UsageError(`Cannot set up "${named}": there is ${sectionNames.join(", ")}`);
		}
		const wanted = section === undefined ? sectionNames : [section];
		if (nonInteractive || !cli.stdinIsTerminal || !cli.stdout.isTerminal) {
			const { commandsFor } = await import("./commands.ts");
			cli.stdout.write(await commandsFor(cli, wanted));
			return 0;
		}
		const { runSetup } = await import("./run-setup.ts");
		return runSetup(cli, wanted);
	},
});
