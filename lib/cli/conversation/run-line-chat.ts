/** A chat at the terminal, one line a question. */

import { nearestName } from "../../base/nearest-name.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Conversation, openConversation } from "../runtime/open-conversation.ts";
import { paintFor } from "../runtime/paint.ts";
import { createTextPrinter } from "../runtime/print-text.ts";
import { openTerminalLines } from "../runtime/terminal-lines.ts";
import type { Cli } from "../subcommand.ts";
import { conversationOptions } from "./conversation-options.ts";
import type { ChatFlags } from "./flags.ts";

const slashCommands = { "/help": "this list", "/new": "a new session", "/quit": "leave (or Ctrl-D)" } as const;

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
		if (text === "/quit" || text === "/exit") return exitCodes.ok;
		if (isSlashCommand(text)) runSlashCommand(text, conversation, cli);
		else if (text !== "") await runTurn(text, conversation, cli);
	}
}

async function runTurn(text: string, conversation: Conversation, cli: Cli): Promise<void> {
	using turn = cli.interruption.openTurn();
	await conversation.runTurn(text, turn.signal);
}

/** One word with one slash: a path or a sentence that begins with a slash is a question (#5057). */
function isSlashCommand(text: string): boolean {
	return /^\/[\w-]+$/.test(text);
}

function runSlashCommand(command: string, conversation: Conversation, cli: Cli): void {
	if (command === "/help") {
		for (const [name, meaning] of Object.entries(slashCommands)) cli.stderr.write(`  ${name.padEnd(8)}${meaning}\n`);
	} else if (command === "/new") {
		conversation.startNew();
		cli.stderr.write(`New session ${conversation.sessionId}\n`);
	} else {
		const near = nearestName(command, Object.keys(slashCommands)) ?? "/help";
		cli.stderr.write(`Unknown command ${command}; did you mean ${near}?\n`);
	}
}
