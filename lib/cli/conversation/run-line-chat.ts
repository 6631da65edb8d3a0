/** A chat at the terminal, one line a question. */

import { exitCodes } from "../exit-codes.ts";
import { type Conversation, openConversation } from "../runtime/open-conversation.ts";
import { paintFor, visible } from "../runtime/paint.ts";
import { createTextPrinter } from "../runtime/print-text.ts";
import { openTerminalLines } from "../runtime/terminal-lines.ts";
import type { Cli } from "../subcommand.ts";
import { runTurns, type TurnScene } from "./busy-turn.ts";
import { conversationOptions } from "./conversation-options.ts";
import type { ChatFlags } from "./flags.ts";
import { runSlashCommand } from "./slash-commands.ts";

/** Chats until the user leaves, and returns the exit code. Ctrl-C stops a running answer; at the prompt it leaves. */
export async function runLineChat(flags: ChatFlags, cli: Cli): Promise<number> {
	using terminal = openTerminalLines();
	const paint = paintFor(cli.stderr, cli.environment);
	const emit = createTextPrinter({ text: cli.stdout, progress: cli.stderr, paint });
	const options = await conversationOptions(flags, cli, terminal);
	await using conversation = await openConversation(cli, { ...options, emit, isAttended: true });
	const { shell } = conversation.place;
	cli.stderr.write(
		`hermes ${cli.version} · ${conversation.model} · ${shell.ranOn}:${shell.cwd} · /help for commands\n`,
	);
	const { news } = conversation;
	if (news.adopted.length > 0) sayRunning(cli, "In the background since an earlier run", news.adopted);
	const busyInput = options.config.get("display.busy_input_mode");
	const code = await converse({ conversation, terminal, cli, busyInput });
	if (news.running().length > 0)
		sayRunning(cli, "Still running in the background (hermes ps shows them)", news.running());
	return code;
}

/** What the chat is made of. */
interface ChatTurns extends TurnScene {
	readonly conversation: Conversation;
	readonly cli: Cli;
}

async function converse(scene: ChatTurns): Promise<number> {
	const { conversation, cli } = scene;
	for (;;) {
		const line = await askOrHear(scene);
		if (line === undefined) return cli.interruption.exitCode() ?? exitCodes.ok;
		const text = line.trim();
		const { interruption, stderr: output } = cli;
		const after = await runSlashCommand(text, { conversation, output, interruption });
		if (after === "leave") return exitCodes.ok;
		if (after === undefined && text !== "") await runTurns(text, scene);
	}
}

/** The next line that is typed. What background processes tell meanwhile is told to the model first. */
async function askOrHear(scene: ChatTurns): Promise<string | undefined> {
	const { conversation, terminal, cli } = scene;
	const { signal } = cli.interruption;
	const { news } = conversation;
	for (;;) {
		const told = news.take();
		if (told !== undefined) {
			cli.stderr.write(`\n${visible(told.split("\n", 1)[0] ?? "")}\n`);
			await runTurns(told, scene);
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
