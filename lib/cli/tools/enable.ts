/** `hermes tools enable`: for every session, or for one platform. */

import { z } from "zod";
import { splitNames } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { platformFlag } from "./platform-flag.ts";

/** Toolsets or tools that sessions get again. */
export const enable = defineAction({
	summary: "Enable toolsets or tools",
	details:
		"NAME may be several, split by commas. Lifts a ban for every platform and adds to the command line's list; with --platform only to that platform's.\nSessions that are running see it from their next turn on.",
	operands: "<NAME>",
	completes: "toolsets",
	flags: z.object({ platform: platformFlag }),

	async run({ flags: { platform }, operands: [typed = ""] }, cli) {
		const names = splitNames(typed);
		const { enableTools } = await import("./switch-tools.ts");
		await enableTools(cli, { names, platform });
		cli.stdout.write(`Enabled ${names.join(", ")}${platform === undefined ? "" : ` on ${platform}`}\n`);
		return exitCodes.ok;
	},
});
