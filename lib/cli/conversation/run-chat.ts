/** Decides between one question and a chat at the terminal. */

import { CommandFailed, UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { drawsChat } from "./draws-chat.ts";
import type { ChatFlags } from "./flags.ts";
import { runLineChat } from "./run-line-chat.ts";
import { runOnce } from "./run-once.ts";

/** Runs `hermes chat` and returns its exit code. */
export async function runChat(flags: ChatFlags, cli: Cli): Promise<number> {
	if (flags.query === "-") return runOnce(await cli.readStdin(), flags, cli);
	if (flags.query !== undefined) return runOnce(flags.query, flags, cli);
	if (flags.image.length > 0)
		throw new UsageError(
			"Cannot use --image without a question: give one with -q TEXT, or say /image FILE in the chat",
		);
	if (flags.output !== "text" || flags.quiet)
		throw new UsageError("Cannot use --output or -Q in a chat: give a question with -q TEXT");
	if (cli.stdinIsTerminal) return await runAtTerminal(flags, cli);
	throw new CommandFailed(
		"Cannot start a chat: standard input is not a terminal; ask once with -q TEXT, or with -q - to read the question from standard input",
	);
}

async function runAtTerminal(flags: ChatFlags, cli: Cli): Promise<number> {
	const canBeAsked = cli.stdout.isTerminal && cli.environment.variables.TERM !== "dumb";
	if (canBeAsked && flags.cassette === undefined) {
		const { lacksProvider, offerSetup } = await import("../setup/first-run.ts");
		if (await lacksProvider(cli, flags)) {
			cli.early?.end();
			const offered = await offerSetup(cli);
			if (offered !== "ready") return offered;
		}
	}
	if (await drawsChat(flags, cli)) return await runDrawnChat(flags, cli);
	cli.early?.end();
	return await runLineChat(flags, cli);
}

async function runDrawnChat(flags: ChatFlags, cli: Cli): Promise<number> {
	const { runTerminalChat } = await import("../terminal/run-terminal-chat.ts");
	return runTerminalChat(flags, cli);
}
