/** A chat at the terminal, one line a question. */

import { attemptAsync } from "../../base/attempt.ts";
import type { ProgressChoice } from "../../commands/command.ts";
import { exitCodes } from "../exit-codes.ts";
import { clipboardSequence } from "../runtime/clipboard.ts";
import { type Conversation, openConversation } from "../runtime/open-conversation.ts";
import { paintFor, printable, visible } from "../runtime/paint.ts";
import { createTextPrinter } from "../runtime/print-text.ts";
import { openTerminalLines, type TerminalLines } from "../runtime/terminal-lines.ts";
import { withProgress } from "../runtime/tool-progress.ts";
import type { Cli } from "../subcommand.ts";
import { type Attachments, askedWithImages, openAttachments } from "./attachments.ts";
import { type BusyTurn, runTurns, type TurnScene } from "./busy-turn.ts";
import { type ChatCommands, openChatCommands } from "./chat-commands.ts";
import { conversationOptions } from "./conversation-options.ts";
import type { ChatFlags } from "./flags.ts";
import { heardText } from "./heard-text.ts";
import { imageAttaching } from "./image-attaching.ts";

/** Chats until the user leaves, and returns the exit code. Ctrl-C stops a running answer; at the prompt it leaves. */
export async function runLineChat(flags: ChatFlags, cli: Cli): Promise<number> {
	using terminal = openTerminalLines();
	const paint = paintFor(cli.stderr, cli.environment);
	const options = await conversationOptions(flags, cli, terminal);
	const progress: ProgressChoice = { mode: options.config.get("display.tool_progress") };
	const emit = withProgress(
		progress,
		createTextPrinter({ text: cli.stdout, progress: cli.stderr, paint, choice: progress }),
	);
	await using conversation = await openConversation(cli, { ...options, emit, isAttended: true });
	const { shell } = conversation.place;
	cli.stderr.write(
		`hermes ${cli.version} · ${conversation.model} · ${shell.ranOn}:${shell.cwd} · /help for commands\n`,
	);
	const { news } = conversation;
	if (news.adopted.length > 0) sayRunning(cli, "In the background since an earlier run", news.adopted);
	const say = (text: string) => cli.stderr.write(`${printable(text)}\n`);
	const next: string[] = [];
	const { attachments, images } = openLineImages(cli, conversation, (text) => next.push(text));
	const shown = { say, copy: copyAt(cli), progress, images } as const;
	const commands = await openChatCommands({ cli, conversation, surface: "lines", ...shown });
	const listen = (turn: BusyTurn) => terminal.listen((line) => hearLine(line, turn, { cli, commands }));
	const busyInput = options.config.get("display.busy_input_mode");
	const turns: TurnScene = {
		cli,
		busyInput,
		listen,
		showsImage: (text) => attachments.isShown(text),
		conversation: askedWithImages(attachments, { conversation, onRefused: say }),
	};
	const code = await converse({ conversation, terminal, cli, turns, commands, attachments, next });
	if (news.running().length > 0)
		sayRunning(cli, "Still running in the background (hermes ps shows them)", news.running());
	if (news.working().length > 0)
		sayRunning(cli, "Sub-agents that end now (hermes agents shows what is known of them)", news.working());
	return code;
}

/** A terminal without escape sequences has no clipboard that can be reached. */
function copyAt({ stderr, environment }: Cli): ((text: string) => void) | undefined {
	const isPlain = !stderr.isTerminal || ["", "dumb"].includes(environment.variables.TERM ?? "");
	return isPlain ? undefined : (text) => stderr.write(clipboardSequence(text));
}

/** What the chat is made of. */
interface LineChat {
	readonly conversation: Conversation;
	readonly terminal: TerminalLines;
	readonly cli: Cli;
	readonly commands: ChatCommands;
	readonly turns: TurnScene;
	readonly attachments: Attachments;
	/** What goes with the next question. */
	readonly next: string[];
}

/** Paths are those of this machine, also when commands run elsewhere. */
function openLineImages(
	{ environment }: Cli,
	{ place: { backend, shell } }: Conversation,
	put: (text: string) => void,
) {
	const { home, hermesHome, variables } = environment;
	const place = () => ({ folder: backend === "local" ? shell.cwd : process.cwd(), home });
	const attachments = openAttachments(hermesHome, place);
	return { attachments, images: imageAttaching({ attachments, variables, place, put }) };
}

async function converse(chat: LineChat): Promise<number> {
	const { cli, commands, turns, attachments, next } = chat;
	for (;;) {
		const line = await askOrHear(chat);
		if (line === undefined) return cli.interruption.exitCode() ?? exitCodes.ok;
		const text = line.trim();
		const after = await commands.run(text);
		if (after === "leave") return exitCodes.ok;
		if (typeof after === "object") await runTurns(attachments.recall(after.ask, after.images), turns);
		if (after === undefined && text !== "") await runTurns([...next.splice(0), text].join(" "), turns);
	}
}

/** Deals with a line that is typed while `turn` runs; false when it has to wait for the end of the turn. */
function hearLine(line: string, turn: BusyTurn, { cli, commands }: Pick<LineChat, "cli" | "commands">): boolean {
	const resolved = commands.set.resolve(line);
	if (resolved?.kind === "command" && resolved.command.whileBusy === "waits") return false;
	if (resolved !== undefined) {
		void attemptAsync(() => commands.run(line, turn)).then((ran) => {
			if (!ran.ok) cli.stderr.write(`hermes: ${printable(ran.reason)}\n`);
		});
		return true;
	}
	const done = turn.hear(line);
	if (done !== undefined) cli.stderr.write(`hermes: ${heardText[done]}\n`);
	return true;
}

/** The next line that is typed. What background processes tell meanwhile is told to the model first. */
async function askOrHear(chat: LineChat): Promise<string | undefined> {
	const { conversation, terminal, cli, turns } = chat;
	const { signal } = cli.interruption;
	const { news } = conversation;
	for (;;) {
		const told = news.take();
		if (told !== undefined) {
			cli.stderr.write(`${visible(told.split("\n", 1)[0] ?? "")}\n`);
			await runTurns(told, turns);
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
