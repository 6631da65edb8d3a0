/** `hermes approvals check`: the verdict on a command that is not run. */

import { quoteWords } from "../../base/shell-quoting.ts";
import { jsonFlag, placeFlags } from "../common-flags.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Says what would become of a command, and why. */
export const check = defineAction({
	summary: "Say whether a command would run, be asked about, or never run",
	details: [
		"One word is a script, several are a program and its arguments. Put -- before a command that begins with a flag.",
		"allow runs without a question, ask needs your consent (and is refused where nobody can be asked), deny never runs.",
		"The command is judged as in manual mode, on the chosen backend, in the current folder or in --cwd.",
	].join("\n"),
	operands: "[COMMAND...]",
	flags: placeFlags.extend(jsonFlag.shape),

	async run({ flags, operands }, cli) {
		const command = operands.length > 1 ? quoteWords(operands) : (operands[0] ?? "");
		if (command.trim() === "") {
			throw new UsageError("Cannot check nothing: name a command, as in hermes approvals check -- rm -r build");
		}
		const [{ judgedCommand }, { openSettings }] = await Promise.all([
			import("./judged-command.ts"),
			import("../runtime/settings.ts"),
		]);
		const config = await openSettings(cli, flags);
		const judged = await judgedCommand(cli, config, { command, cwd: flags.cwd });
		if (flags.json) cli.stdout.write(`${JSON.stringify(judged)}\n`);
		else {
			const categories = judged.categories.length === 0 ? "" : ` (${judged.categories.join(", ")})`;
			cli.stdout.write(`${judged.verdict}${categories}: ${judged.why}\n`);
		}
		return exitCodes.ok;
	},
});
