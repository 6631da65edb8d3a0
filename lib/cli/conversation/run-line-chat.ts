/** A chat at the terminal, one line a question. */

import { exitCodes } from "../exit-codes.ts";
import { type Conversation, openConversation } from "../runtime/open-conversation.ts";
import { paintFor, visible } from "../runtime/paint.ts";
import { createTextPrinter } from "../runtime/print-text.ts";
import { openTerminalLines, type TerminalLines } from "../runtime/terminal-lines.ts";
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
		isAttended: true,
	});
	const { shell } = conversation.place;
	cli.stderr.write(
		`hermes ${cli.version} · ${conversation.model} · ${shell.ranOn}:${shell.cwd} · /help for commands\n`,
	);
	const { news } = conversation;
	if (news.adopted.length > 0) sayRunning(cli, "In the background since an earlier run", news.adopted);
	const code = await converse(conversation, terminal, cli);
	if (news.running().length > 0)
		sayRunning(cli, "Still running in the background (hermes ps shows them)", news.running());
	return code;
}

async function converse(conversation: Conversation, terminal: TerminalLines, cli: Cli): Promise<number> {
	for (;;) {
		const line = await askOrHear(conversation, terminal, cli);
		if (line === undefined) return cli.interruption.exitCode() ?? exitCodes.ok;
		const text = line.trim();
		const after = runSlashCommand(text, { conversation, output: cli.stderr });
		if (after === "leave") return exitCodes.ok;
		if (after === undefined && text !== "") await runTurn(text, conversation, cli);
	}
}

/** The next line that is typed. What background processes tell meanwhile is told to the model first. */
async function askOrHear(conversation: Conversation, terminal: TerminalLines, cli: Cli): Promise<string | undefined> {
	const { signal } = cli.interruption;
	const { news } = conversation;
	for (;;) {
		const told = news.take();
		if (told !== undefined) {
			cli.stderr.write(`\n${visible(told.split("\n", 1)[0] ?? "")}\n`);
			await runTurn(told, conversation, cli);
			continue;
		}
		const heard = new AbortController();
		const listening = new AbortController();
		void news.wait(listening.signal).then(() => heard.abort());
		const line = await terminal.ask("> ", { signal: AbortSignal.any([signal, heard.signal]) });
		const isHeard = heard.signal.aborted;
		listening.abort();
		if (line !== undefined || signal.aborted || !isHeard) return line;
	}
}

function sayRunning(cli: Cli, title: string, lines: readonly string[]): void {
	cli.stderr.write(`${title}:\n${lines.map((line) => `  ${visible(line)}\n`).join("")}`);
}

async function runTurn(text: string, conversation: Conversation, cli: Cli): Promise<void> {
	using turn = cli.interruption.openTurn();
	await conversation.runTurn(text, turn.signal);
}
