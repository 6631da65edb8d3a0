/** `/model`: which model is asked, and whose. */

import { nearestName } from "../base/nearest-name.ts";
import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import type { CommandConversation } from "./conversation.ts";
import { wordsOf } from "./program-command.ts";

export default {
	name: "model",
	description: "show the model, or ask another one from now on, also of another provider; --global: in later chats too",
	argumentsHint: "[NAME] [--provider P] [--global]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	async run({ conversation, say }, typed) {
		const { name, provider, isGlobal } = readWords(wordsOf(typed));
		if (name === undefined && isGlobal) throw new CommandRefused("Cannot keep no model: say /model NAME --global");
		if (name === undefined && provider === undefined) {
			say(`Model ${conversation.model} (${placeOf(conversation)})`);
			return undefined;
		}
		if (provider !== undefined) await conversation.useProvider(provider, name);
		else if (name !== undefined) conversation.useModel(name);
		const of = provider === undefined ? "" : ` (${placeOf(conversation)})`;
		say(`Model ${conversation.model}${of} from now on`);
		if (isGlobal) await keep(conversation, provider, say);
		return undefined;
	},
} satisfies Command;

/** Writes into the settings what the conversation asks now. */
async function keep(conversation: CommandConversation, provider: string | undefined, say: (text: string) => void) {
	const words = ["model", conversation.model, ...(provider === undefined ? [] : ["--provider", provider])];
	const { text, ok } = await conversation.program(words);
	if (!ok) throw new CommandRefused(text);
	say("Later chats ask it too");
}

function placeOf({ provider: { id, baseUrl } }: CommandConversation): string {
	return baseUrl === undefined ? id : `${id}, ${baseUrl}`;
}

interface Typed {
	readonly name: string | undefined;
	readonly provider: string | undefined;
	readonly isGlobal: boolean;
}

const flags = ["--provider", "--global"];

/** @throws {CommandRefused} When a word is one too many, a flag is unknown, or `--provider` names none. */
function readWords(words: readonly string[]): Typed {
	const names: string[] = [];
	let provider: string | undefined;
	let isGlobal = false;
	const rest = words.values();
	for (const word of rest) {
		const [flag = "", given] = word.startsWith("--") ? word.split("=", 2) : [];
		if (flag === "") names.push(word);
		else if (flag === "--global") isGlobal = true;
		else if (flag === "--provider") provider = given ?? rest.next().value ?? "";
		else
			throw new CommandRefused(
				`Cannot understand ${flag}: did you mean ${nearestName(flag, flags) ?? flags.join(", ")}?`,
			);
	}
	if (names.length > 1) throw new CommandRefused("Cannot use two models: say /model NAME");
	if (provider === "") throw new CommandRefused("Cannot ask no provider: say /model NAME --provider P");
	return { name: names[0], provider, isGlobal };
}
