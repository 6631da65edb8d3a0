/** `hermes selfcheck`: whether a backend keeps its promises on the user's own host, container or cluster. */

import { jsonFlag } from "../common-flags.ts";
import { UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

export default defineAction({
	summary: "Check a backend, and measure how fast it is",
	details: [
		"Runs the checks that every backend must pass on the one you have configured (BACKEND, else terminal.backend).",
		"It works in temporary folders and removes them. Exits with 1 when a check failed.",
	].join("\n"),
	operands: "[BACKEND]",
	completes: "backends",
	flags: jsonFlag,

	async run({ flags: { json }, operands: [backend, ...rest] }, cli) {
		if (rest.length > 0) throw new UsageError("Cannot check several backends at once: name one");
		const { runSelfcheck } = await import("./run-selfcheck.ts");
		return runSelfcheck(cli, { backend, json });
	},
});
