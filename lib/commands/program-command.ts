/** Slash commands that show in a chat what a subcommand of hermes prints. */

import { type Category, type Command, chatSurfaces } from "./command.ts";

/** What is said of such a command. */
export interface ProgramCommand {
	readonly name: string;
	readonly aliases?: readonly string[];
	readonly description: string;
	readonly category: Category;
	readonly argumentsHint?: string;
	/** The words behind `hermes`; `argument` is what was typed behind the name. */
	words(argument: string): readonly string[];
}

/** A command that only looks: it runs beside a turn. */
export function programCommand({ words, ...about }: ProgramCommand): Command {
	return {
		...about,
		surfaces: chatSurfaces,
		whileBusy: "runs",
		async run({ conversation, say }, argument) {
			const { text } = await conversation.program(words(argument));
			say(text === "" ? "Nothing to show" : text);
			return undefined;
		},
	};
}

/** The words of an argument: what the user split by spaces. */
export function wordsOf(argument: string): string[] {
	return argument.split(/\s+/).filter((word) => word !== "");
}
