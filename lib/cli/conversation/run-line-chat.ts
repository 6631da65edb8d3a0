/** A chat at the terminal, one line a question. */

import { exitCodes } from "../exit-codes.ts";
import { type Conversation, openConversation } from "../runtime/open-conversation.ts";
import { paintFor } from "../runtime/paint.ts";
import { createTextPrinter } from "../runtime/print-text.ts";
import { openTerminalLines } from "../runtime/terminal-lines.ts";
import type { Cli } from "../subcommand.ts";
import { conversationOptions } from "./conversation-options.ts";
import type { ChatFlags } from "./flags.ts";
import { runSlashCommand } from "./slash-commands.ts";

/** Chats until the user leaves, and returns the exit code. Ctrl-C stops a running answer; at the prompt it leaves. */
export async function runLineChat(flags: ChatFlags, cli: Cli): Promise<number> {
	using terminal = openTerminalLines();
	const paint = paintFor(cli.stderr, cli.environment);
	const emit = createTextPrinter({ text: cli.stdout, progress: cli.stderr, paint });
	await using conversation = await openConversation(cli, {
		...(await conversationOptions(flags, cli, terminal)),
		emit,
	});
	const { shell } = conversation.place;
	cli.stderr.write(
		`hermes ${cli.version} · ${conversation.model} · ${shell.ranOn}:${shell.cwd} · /help for commands\n`,
	);
	const { signal } = cli.interruption;
	for (;;) {
		const line = await terminal.ask("> ", { signal });
		if (line === undefined) return cli.interruption.exitCode() ?? exitCodes.ok;
		const text = line.trim();
		const after = runSlashCommand(text, { conversation, output: cli.stderr });
		if (after === "leave") return exitCodes.ok;
		if (after === undefined && text !== "") await runTurn(text, conversation, cli);
	}
}

async function runTurn(text: string, conversation: Conversation, cli: Cli): Promise<void> {
	using turn = cli.interruption.openTurn();
	await conversation.runTurn(text, turn.signal);
}
