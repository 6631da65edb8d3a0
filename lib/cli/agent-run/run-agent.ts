/** One question from a script: the final answer on standard output, and an exit code that says whether there is one. */

import { askOnce } from "../conversation/run-once.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import type { ToolChoice } from "../runtime/tool-choice.ts";
import type { Cli, Invocation } from "../subcommand.ts";
import { printTools } from "../tools/list.ts";
import type { AgentRunFlags } from "./flags.ts";

/** Asks what the user typed, or lists the tools, and returns the exit code. */
export async function runAgent({ flags, operands }: Invocation<AgentRunFlags>, cli: Cli): Promise<number> {
	const { apiKey, enabledToolsets: toolsets, disabledToolsets, listTools, ...rest } = flags;
	if (apiKey !== undefined) {
		throw new UsageError(
			"Cannot take a key on the command line, where everybody on this machine can read it: set OPENAI_API_KEY",
		);
	}
	if (listTools) return listSelected({ toolsets, disabledToolsets }, cli);
	const question = await questionOf(flags.query, operands, cli);
	const { finished } = await askOnce(
		question,
		{ ...rest, toolsets, disabledToolsets, output: "text", quiet: true },
		cli,
	);
	return cli.interruption.exitCode() ?? (finished.ended === "answered" ? exitCodes.ok : exitCodes.failure);
}

async function listSelected(selection: Omit<ToolChoice, "platform">, cli: Cli): Promise<number> {
	return printTools(cli, { choice: { platform: "cli", ...selection }, isJson: false, onlyEnabled: true });
}

async function questionOf(query: string | undefined, [operand]: readonly string[], cli: Cli): Promise<string> {
	if (query !== undefined && operand !== undefined) throw new UsageError("Cannot ask twice: give QUERY or --query");
	const question = query ?? operand;
	if (question === undefined)
		throw new UsageError("Cannot ask nothing: say what to do, as in hermes-agent 'fix the test'");
	return question === "-" ? cli.readStdin() : question;
}
