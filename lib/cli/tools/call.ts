/** `hermes tools call`: one call of a tool, as a model would make it. */

import { commonFlags, placeFlags } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** One call, its answer, and an exit code that says how it went. */
export const call = defineAction({
	summary: "Call a tool and print its JSON result",
	details:
		"JSON holds the arguments; - reads them from standard input, none is {}. Exits 1 when the result has an error.\nCalls that need approval are denied (exit 3) unless --yolo or HERMES_YOLO_MODE=1 is given.",
	operands: "<NAME> [JSON]",
	completes: "tools",
	flags: placeFlags.extend({ yolo: commonFlags.shape.yolo }),

	async run({ flags, operands: [name = "", json = "{}"] }, cli) {
		const { openToolSession } = await import("../runtime/open-tool-session.ts");
		const text = json === "-" ? await cli.readStdin() : json;
		await using session = await openToolSession(cli, flags);
		const { answer, isError, denied } = await session.call({ name, arguments: text });
		cli.stdout.write(`${answer}\n`);
		const stopped = cli.interruption.exitCode();
		if (stopped !== undefined) return stopped;
		if (denied && !session.isYolo) return exitCodes.denied;
		return isError ? exitCodes.failure : exitCodes.ok;
	},
});
