/** Runs a subcommand inside a chat, and gives what it printed instead of printing it. */

import type { ProgramAnswer } from "../../commands/conversation.ts";
import { profileOf } from "../../config/profiles/folders.ts";
import { runCommandLine } from "../command-line/run-command-line.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import type { Cli } from "../subcommand.ts";

/** `words` as they would stand behind `hermes`. Nobody is asked anything: what needs a yes is refused. */
export async function runProgram(words: readonly string[], cli: Cli): Promise<ProgramAnswer> {
	const [stdout, stderr] = [collector(), collector()];
	// The usual profile may have changed since this chat began.
	const profile = ["--profile", profileOf(cli.environment.hermesHome)];
	const code = await runCommandLine([...profile, ...words], {
		...cli,
		stdout,
		stderr,
		stdinIsTerminal: false,
		readStdin: async () => "",
	});
	const ok = code === exitCodes.ok;
	const text = ok || stderr.text() === "" ? stdout.text() : `${stdout.text()}${stderr.text()}`;
	return { text: text.replace(/^hermes: /, "").replace(/\n+$/, ""), ok };
}

function collector(): Output & { text(): string } {
	const parts: string[] = [];
	return { isTerminal: false, write: (text) => void parts.push(text), text: () => parts.join("") };
}
