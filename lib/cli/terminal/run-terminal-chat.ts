/** A chat that draws on the terminal. */

import type { BusyInputMode } from "../../agent/busy-input.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { attemptAsync } from "../../base/attempt.ts";
import type { ProgressChoice, SkinChoice, StatusBar } from "../../commands/command.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import { createRedactor } from "../../security/redact.ts";
import { type Attachments, askedWithImages } from "../conversation/attachments.ts";
import { type BusyTurn, runTurns, type TurnScene } from "../conversation/busy-turn.ts";
import { type ChatCommands, openChatCommands } from "../conversation/chat-commands.ts";
import { conversationOptions } from "../conversation/conversation-options.ts";
import type { ChatFlags } from "../conversation/flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { clipboardSequence } from "../runtime/clipboard.ts";
import { type Conversation, openConversation } from "../runtime/open-conversation.ts";
import { printable } from "../runtime/paint.ts";
import { withProgress } from "../runtime/tool-progress.ts";
import { loadSkin, skinNames } from "../skins/load-skin.ts";
import type { Cli } from "../subcommand.ts";
import { type ChatFrame, openChatFrame } from "./chat-frame.ts";
import { openChatImages } from "./chat-images.ts";
import { chatCompletion } from "./completion.ts";
import { createMemoryRelease, type MemoryRelease } from "./free-memory.ts";
import { openInputHistory } from "./input-history.ts";
import type { Screen } from "./screen.ts";
import { screenTerminal } from "./screen-terminal.ts";
import { createEventView, type EventView, type ShownOptions } from "./show-events.ts";
import { showPast, showQuestion } from "./show-past.ts";

/** Chats until the user leaves, and returns the exit code. The frame may have been drawn already. */
export async function runTerminalChat(flags: ChatFlags, cli: Cli): Promise<number> {
	const { noColor } = cli.environment;
	const frame = cli.early?.take() ?? (await openChatFrame({ noColor, version: cli.version }));
	try {
		return await chatIn(frame, flags, cli);
	} finally {
		// Some terminals tell of each key that is let go; what they tell after the end would reach the shell.
		const { terminal } = frame.screen.tui;
		if (terminal.kittyProtocolActive) await terminal.drainInput(drainMs, quietMs);
		frame.end();
	}
}

/** At most so long, and no longer than until nothing has come for a moment. */
const drainMs = 500;
const quietMs = 40;

async function chatIn(frame: ChatFrame, flags: ChatFlags, cli: Cli): Promise<number> {
	const { screen, state, inbox, editor } = frame;
	state.stop = () => cli.interruption.stop(exitCodes.interrupted);
	const onScreen = screenCli(cli, screen);
	const options = await conversationOptions(flags, onScreen, screenTerminal(screen, editor));
	const progress: ProgressChoice = { mode: options.config.get("display.tool_progress") };
	const view = createEventView(screen, shownOptions(options.config, progress));
	const show = withProgress(progress, view.show);
	const emit = (event: AgentEvent) => {
		state.saw(event);
		show(event);
	};
	await using conversation = await openConversation(onScreen, { ...options, emit, isAttended: true });
	const say = (text: string) => screen.addLines(printable(text).split("\n"), { indent: "    " });
	const copy = (text: string) => screen.tui.terminal.write(clipboardSequence(text));
	const skins = await openSkins(frame, cli, options.config);
	const statusBar = openStatusBar(frame, options.config);
	const { attachments, images } = openChatImages(frame, cli, conversation);
	const shown = { say, copy, progress, skins, images, statusBar } as const;
	const commands = await openChatCommands({ cli: onScreen, conversation, surface: "terminal", ...shown });
	const history = openInputHistory(cli.environment.hermesHome, createRedactor(options.config.secrets));
	editor.remember(history);
	const catalog = openCatalog(cli.environment.hermesHome);
	const windowOf = (model: string) =>
		options.config.get("model.context_length") || catalog.facts(conversation.provider.id, model).contextTokens;
	state.opened({ conversation, commands, home: cli.environment.home, windowOf });
	const { shell } = conversation.place;
	const folder = () => (conversation.place.backend === "local" ? shell.cwd : undefined);
	const { home } = cli.environment;
	editor.completeWith(chatCompletion({ pi: screen.pi, commands: () => commands, folder, home }));
	sayRunning(screen, "In the background since an earlier run", conversation.news.adopted);
	if (conversation.store !== undefined && options.config.get("display.resume_display") === "full")
		showPast(screen, conversation.store, conversation.sessionId);

	screen.draw();
	const memory = createMemoryRelease();
	memory.rest();
	const busyInput = options.config.get("display.busy_input_mode");
	const chat = { screen, view, state, inbox, conversation, commands, attachments, cli: onScreen, busyInput, memory };
	const code = await converse(chat);
	sayRunning(screen, "Still running in the background (hermes ps shows them)", conversation.news.running());
	const working = conversation.news.working();
	sayRunning(screen, "Sub-agents that end now (hermes agents shows what is known of them)", working);
	return code;
}

/** Shows or hides the facts of the lowest line, as the settings say at first. */
function openStatusBar({ state, screen }: ChatFrame, config: LoadedConfig): StatusBar {
	state.showsFacts = config.get("display.statusbar");
	return {
		get isShown() {
			return state.showsFacts;
		},
		show(isShown) {
			state.showsFacts = isShown;
			screen.draw();
		},
	};
}

/** Puts the skin of the settings on. */
async function openSkins({ theme, screen }: ChatFrame, cli: Cli, config: LoadedConfig): Promise<SkinChoice> {
	const { hermesHome, variables } = cli.environment;
	const has24Bits = /^(truecolor|24bit)$/.test(variables.COLORTERM ?? "");
	let worn = "default";
	const wear = async (name: string) => {
		const { skin, warnings } = await loadSkin(hermesHome, name);
		theme.wear(skin, { has24Bits });
		worn = skin.name;
		screen.draw();
		return warnings;
	};
	const warnings = await wear(config.get("display.skin"));
	screen.addLines(warnings.map((warning) => theme.warning(printable(warning))));
	return {
		names: () => skinNames(hermesHome),
		get worn() {
			return worn;
		},
		wear,
	};
}

function shownOptions(config: LoadedConfig, progress: ProgressChoice): ShownOptions {
	return {
		showsReasoning: config.get("display.show_reasoning"),
		progress,
		showsDiffs: config.get("display.inline_diffs"),
		rings: config.get("display.bell_on_complete"),
		now: () => performance.now(),
	};
}

interface Chat extends Pick<ChatFrame, "inbox" | "screen" | "state"> {
	readonly view: EventView;
	readonly conversation: Conversation;
	readonly commands: ChatCommands;
	readonly attachments: Attachments;
	readonly cli: Cli;
	readonly busyInput: BusyInputMode;
	readonly memory: MemoryRelease;
}

async function converse(chat: Chat): Promise<number> {
	const { inbox, conversation, cli } = chat;
	const { news } = conversation;
	for (;;) {
		const told = news.take();
		const next = told ?? (await inbox.next(cli.interruption.signal, (listening) => news.wait(listening)));
		if (next === undefined) return cli.interruption.exitCode() ?? exitCodes.ok;
		if (typeof next === "string") await runTurns(next, turnScene(chat));
		else if (next.said !== undefined && (await answer(next.said, chat)) === "leave") return exitCodes.ok;
	}
}

/** Runs what was said as a command, or as a turn. */
async function answer(said: string, chat: Chat): Promise<"leave" | undefined> {
	const { screen, commands, attachments, state } = chat;
	state.isCommanded = true;
	const after = await attemptAsync(() => commands.run(said));
	state.isCommanded = false;
	if (!after.ok) screen.addLines([screen.theme.bad(printable(after.reason))]);
	else if (after.value === "leave") return "leave";
	else if (typeof after.value === "object")
		await runTurns(attachments.recall(after.value.ask, after.value.images), turnScene(chat));
	else if (after.value === undefined) await runTurns(said, turnScene(chat));
	return undefined;
}

/** A turn on the screen: what is asked, and the editor that goes on listening. */
function turnScene(chat: Chat): TurnScene {
	const { conversation, attachments, cli, busyInput, screen, state, view, memory } = chat;
	return {
		cli,
		busyInput,
		showsImage: (text) => attachments.isShown(text),
		conversation: askedWithImages(attachments, {
			conversation,
			onQuestion(text) {
				showQuestion(screen, printable(text));
				view.begin();
			},
			onRefused: (reason) => screen.addLines([screen.theme.warning(printable(reason))]),
		}),
		listen(turn: BusyTurn) {
			state.turn = turn;
			memory.wake();
			screen.draw();
			return {
				[Symbol.dispose]() {
					state.turn = undefined;
					memory.rest();
					screen.draw();
				},
			};
		},
	};
}

function sayRunning(screen: Screen, title: string, lines: readonly string[]): void {
	if (lines.length === 0) return;
	screen.addLines([`${title}:`, ...lines.map((line) => `  ${printable(line)}`)], { isApart: true });
}

/** The process for everything below the chat: what it would print goes to the screen instead of through it. */
function screenCli(cli: Cli, screen: Screen): Cli {
	const output = {
		isTerminal: true,
		write(text: string) {
			screen.addLines(
				printable(text)
					.replace(/\n$/, "")
					.split("\n")
					.map((line) => screen.theme.warning(line)),
			);
		},
	};
	return { ...cli, stdout: output, stderr: output };
}
