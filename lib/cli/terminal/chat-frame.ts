/** The frame of a chat: its screen and its editor, before there is anything to talk to. It loads little and is drawn at once. */

import { writeSync } from "node:fs";
import type { AfterCommand } from "../../commands/run-command.ts";
import { heardText } from "../conversation/heard-text.ts";
import { exitCodes } from "../exit-codes.ts";
import { printable } from "../runtime/paint.ts";
import { type ChatState, createChatState } from "./chat-state.ts";
import { type ChatEditor, openEditor } from "./editor.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { listenForKeys } from "./keys.ts";
import { loadPiTui } from "./pi-tui.ts";
import { openScreen, type Screen } from "./screen.ts";
import { statusLine } from "./status-line.ts";
import { type SkinnedTheme, themeFor } from "./theme.ts";

/** What is drawn before the conversation is open. */
export interface ChatFrame {
	readonly screen: Screen;
	/** The looks of the screen. */
	readonly theme: SkinnedTheme;
	readonly state: ChatState;
	/** What is typed meanwhile waits here. */
	readonly inbox: Inbox;
	readonly editor: ChatEditor;
	/** Gives the terminal back. */
	end(): void;
}

/** Draws the frame; its first word comes before the library that draws the rest is loaded. */
export async function openChatFrame(options: {
	readonly noColor: boolean;
	readonly version: string;
}): Promise<ChatFrame> {
	const theme = themeFor(options);
	const name = theme.bold("hermes");
	writeSync(1, name);
	const pi = await loadPiTui();
	const screen = openScreen(pi, theme, { isLineBegun: true });
	const state = createChatState();
	const inbox = createInbox();
	let hasEnded = false;
	const end = () => {
		if (!hasEnded) screen.end();
		hasEnded = true;
	};
	screen.addLines([`${name} ${theme.dim(`${options.version} · /help for commands`)}`]);
	screen.setStatus(
		statusLine(pi, theme, () => ({ ...state.facts(), ...(state.showsFacts && { queued: inbox.length }) })),
	);
	const editor = openEditor(screen, (text) => hear(text, { screen, state, inbox }));
	// Until a run listens, nothing but the process itself can be stopped.
	state.stop = () => {
		end();
		process.exit(exitCodes.interrupted);
	};
	listenForKeys(screen, { state, editor, leave: () => inbox.end(), pasteClipboard: () => state.pasteClipboard() });
	screen.tui.renderNow();
	return { screen, theme, state, inbox, editor, end };
}

/** Deals with what was typed: a turn that runs hears it, otherwise it is the next question or command. */
function hear(text: string, frame: Pick<ChatFrame, "screen" | "state" | "inbox">): void {
	const { screen, state, inbox } = frame;
	if (text.trim() === "") return;
	const { turn, commands } = state;
	const isCommand = /^\/[\w-]/.test(text);
	const resolved = isCommand ? commands?.set.resolve(text) : undefined;
	if (resolved !== undefined)
		screen.addLines([screen.theme.dim(`${screen.theme.symbols.prompt} ${printable(text)}`)], {
			isApart: true,
			indent: "  ",
		});
	const waits = resolved?.kind === "command" && resolved.command.whileBusy === "waits";
	if (turn === undefined || waits) inbox.push(text);
	else if (resolved !== undefined) runBeside(() => commands?.run(text, turn), screen);
	else {
		const done = turn.hear(text);
		if (done === undefined) return;
		const lines = [`${screen.theme.symbols.prompt} ${printable(text)}`, `  ${heardText[done]}`];
		screen.addLines(lines.map(screen.theme.dim), { isApart: true });
	}
}

/** Runs a command beside the turn; what breaks is said. */
function runBeside(run: () => Promise<AfterCommand | undefined> | undefined, screen: Screen): void {
	void Promise.resolve(run()).catch((cause: unknown) => {
		screen.addLines([screen.theme.bad(printable(cause instanceof Error ? cause.message : String(cause)))]);
	});
}
