/** `hermes exec`: the user's own command, run where the tools run. */

import { z } from "zod";
import { quoteWords } from "../base/shell-quoting.ts";
import { placeFlags } from "./common-flags.ts";
import { UsageError } from "./exit-codes.ts";
import { defineAction } from "./subcommand.ts";

const timeout = z.coerce.number().positive().optional();

export default defineAction({
	summary: "Run a command where the tools run, without asking",
	details: [
		"One word is a script, several are a program and its arguments. Put -- before a command that begins with a flag.",
		"Output streams as it comes. Exits with the command's code, 124 when it timed out, 130 when interrupted.",
	].join("\n"),
	operands: "[COMMAND...]",
	flags: placeFlags.extend({
		timeout: timeout.meta({ value: "S", description: "Seconds before the command is stopped" }),
	}),

	async run({ flags: { timeout: timeoutSeconds, ...place }, operands }, cli) {
		const script = scriptOf(operands);
		const [{ openPlace }, { openSettings }, { auditedShell }] = await Promise.all([
			import("./runtime/open-place.ts"),
			import("./runtime/settings.ts"),
			import("./runtime/audited-shell.ts"),
		]);
		const config = await openSettings(cli, place);
		await using opened = await openPlace(cli, { config, cwd: place.cwd });
		using shell = auditedShell(cli, config, opened);
		const outcome = await shell.execute(script, {
			signal: cli.interruption.signal,
			limits: { keepBytes: 0 },
			onOutput: (text) => cli.stdout.write(text),
			...(timeoutSeconds !== undefined && { timeoutSeconds }),
		});
		if (outcome.ended === "timed_out") cli.stderr.write(`hermes: stopped after ${timeoutSeconds} s\n`);
		if (outcome.notice !== undefined) cli.stderr.write(`hermes: ${outcome.notice}\n`);
		return cli.interruption.exitCode() ?? outcome.exitCode;
	},
});

function scriptOf(operands: readonly string[]): string {
	const [first = "", ...rest] = operands;
	if (first.trim() === "") throw new UsageError("Cannot run nothing: name a command, as in hermes exec -- ls -l");
	return rest.length === 0 ? first : quoteWords(operands);
}
