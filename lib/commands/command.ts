/** The contract of a slash command: what a file in `lib/commands/` exports by default, and what its `run` is given. */

import type { MessageImage } from "../base/conversation.ts";
import type { CommandSet } from "./command-set.ts";
import type { CommandConversation } from "./conversation.ts";

/** Where commands are typed: the chat that draws on a terminal, the chat line by line, a chat platform, the HTTP API. */
export const surfaces = ["terminal", "lines", "gateway", "api"] as const;

/** One of them. */
export type Surface = (typeof surfaces)[number];

/** The headings of help, in its order. */
export const categories = ["session", "configuration", "tools", "info"] as const;

/** One of them. */
export type Category = (typeof categories)[number];

/**
 * What becomes of the command while a turn runs: it runs beside the turn, it waits for the end of it, or the user is told to
 * wait or to stop the turn first. A command that changes the conversation never runs beside a turn.
 */
export type WhileBusy = "runs" | "waits" | "refused";

/** A word that may stand where the user is typing. */
export interface Completion {
	readonly value: string;
	readonly description?: string;
}

/** The turn that runs while a command is typed. */
export interface RunningTurn {
	/** Keeps `text` for the turn after this one. */
	queue(text: string): void;
	/** Gives `text` to the model with the next tool result; false when the turn has no more of them, and `text` is queued. */
	steer(text: string): boolean;
	/** Ends the turn. */
	stop(): void;
}

/** What a command may act on. Surfaces that lack something leave it out, and the command says so. */
export interface CommandContext {
	readonly surface: Surface;
	readonly conversation: CommandConversation;
	/** All commands of this surface, for help. */
	readonly commands: CommandSet;
	/** Undefined while nothing runs. */
	readonly turn: RunningTurn | undefined;
	/** Aborted when the user stops what takes a while. */
	readonly signal: AbortSignal;
	/** Tells the user `text`, lines without the last line end. The surface takes care of what must not reach its reader as it is. */
	say(text: string): void;
	/** Puts `text` on the clipboard of the user's terminal, where it has one that can be reached. */
	readonly copy?: ((text: string) => void) | undefined;
	/** How much of the calls of tools is shown, where they are shown. */
	readonly progress?: ProgressChoice | undefined;
	/** The looks of the chat, where it has some. */
	readonly skins?: SkinChoice | undefined;
	/** Images for what the user says next, where they can go with it. */
	readonly images?: ImageChoice | undefined;
	/** The lowest line of the chat, where it has one. */
	readonly statusBar?: StatusBar | undefined;
}

/** Puts images into what the user says next. */
export interface ImageChoice {
	/** The file at `path`, as it was typed; gives the marker that stands for it. @throws {CommandRefused} When it cannot be used. */
	attachFile(path: string): Promise<string>;
	/** What the clipboard holds; gives a marker or the text. @throws {CommandRefused} When it holds nothing of use. */
	paste(): Promise<string>;
}

/** The line under the editor. */
export interface StatusBar {
	readonly isShown: boolean;
	show(isShown: boolean): void;
}

/** The skins that there are. */
export interface SkinChoice {
	names(): readonly string[];
	/** The name of the one that is worn. */
	readonly worn: string;
	/** Changes the looks of what is drawn from now on; gives what is odd about the skin. */
	wear(name: string): Promise<readonly string[]>;
}

/** What is shown of calls of tools: nothing, one line where another tool is called than before, all, or all of each. */
export const progressModes = ["off", "new", "all", "verbose"] as const;

/** What the user has chosen of it for this run. */
export interface ProgressChoice {
	mode: (typeof progressModes)[number];
}

/** What the surface does next: nothing more, leave, or give `ask` to the model as if the user had said it, with `images`. */
export type CommandOutcome = undefined | "leave" | AskedByCommand;

/** What is asked. */
export interface AskedByCommand {
	readonly ask: string;
	readonly images?: readonly MessageImage[];
}

/** One command. Dispatch, help, completion and the menus of platforms are made of these records. */
export interface Command {
	/** Without the slash, in kebab-case; the file has the same name. */
	readonly name: string;
	readonly aliases?: readonly string[];
	/** One line. */
	readonly description: string;
	/** Such as `[NAME]`; missing when the command takes no argument. */
	readonly argumentsHint?: string;
	readonly category: Category;
	readonly surfaces: readonly Surface[];
	readonly whileBusy: WhileBusy;
	/** What the argument may be; the surface keeps those that fit what was typed so far. */
	complete?(context: Pick<CommandContext, "conversation" | "commands">): readonly Completion[];
	/**
	 * `argument` is what stands behind the name, trimmed; empty when nothing does.
	 * @throws {CommandRefused} When it cannot be done; the message is told to the user and the chat goes on.
	 */
	run(context: CommandContext, argument: string): CommandOutcome | Promise<CommandOutcome>;
}

/** What the user wants cannot be done; the message says why, and what to do instead. */
export class CommandRefused extends Error {
	override name = "CommandRefused";
}

/** Surfaces on which a person chats, with one conversation at a time. */
export const chatSurfaces: readonly Surface[] = ["terminal", "lines"];
