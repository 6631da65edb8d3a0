/** `/help`: what can be typed. */

import { type Command, CommandRefused, categories, surfaces } from "./command.ts";
import { type CommandSet, commandForm } from "./command-set.ts";

export default {
	name: "help",
	description: "this list, or what one command does",
	argumentsHint: "[COMMAND]",
	category: "info",
	surfaces,
	whileBusy: "runs",
	complete: ({ commands }) => commands.list.map(({ name, description }) => ({ value: name, description })),
	run({ commands, say }, argument) {
		say(argument === "" ? helpText(commands) : detailText(commands, argument.replace(/^\//, "")));
		return undefined;
	},
} satisfies Command;

function helpText({ list }: CommandSet): string {
	const width = Math.max(...list.map((command) => commandForm(command).length)) + 2;
	return categories
		.map((category) => ({ category, members: list.filter((command) => command.category === category) }))
		.filter(({ members }) => members.length > 0)
		.map(({ category, members }) => {
			const lines = members.map(
				(command) => `  ${commandForm(command).padEnd(width)}${command.description}${alsoText(command)}`,
			);
			return [category.charAt(0).toUpperCase() + category.slice(1), ...lines].join("\n");
		})
		.join("\n");
}

function detailText(commands: CommandSet, word: string): string {
	const command = commands.find(word);
	if (command === undefined) throw new CommandRefused(`Unknown command /${word}; /help lists them`);
	return `${commandForm(command)}: ${command.description}${alsoText(command)}`;
}

function alsoText({ aliases = [] }: Command): string {
	return aliases.length === 0 ? "" : ` (or ${aliases.map((alias) => `/${alias}`).join(", ")})`;
}
