/** `hermes tools disable`: for every session, or for one platform. */

import { z } from "zod";
import { splitNames } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { platformFlag } from "./platform-flag.ts";

/** Toolsets or tools that no session gets, or none of one platform. */
export const disable = defineAction({
	summary: "Disable toolsets or tools",
	details:
		"NAME may be several, split by commas. No platform has them then; with --platform only that one has not.\nSessions that are running see it from their next turn on.",
	operands: "<NAME>",
	completes: "toolsets",
	flags: z.object({ platform: platformFlag }),

	async run({ flags: { platform }, operands: [typed = ""] }, cli) {
		const names = splitNames(typed);
		const { disableTools } = await import("./switch-tools.ts");
		await disableTools(cli, { names, platform });
		cli.stdout.write(`Disabled ${names.join(", ")}${platform === undefined ? "" : ` on ${platform}`}\n`);
		return exitCodes.ok;
	},
});
