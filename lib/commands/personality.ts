/** `/personality`: how the agent speaks in the sessions that begin from now on. */

import { nearestName } from "../base/nearest-name.ts";
import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import type { CommandConversation } from "./conversation.ts";

/** The word for no personality. */
const none = "none";

/** A prompt that was sent never changes: the provider would have to read the whole conversation anew. */
export default {
	name: "personality",
	description: "show the personalities, or use one in the sessions that begin from now on, in later chats too",
	argumentsHint: "[NAME|none]",
	category: "configuration",
	surfaces: chatSurfaces,
	whileBusy: "waits",
	complete: ({ conversation: { personality } }) => [
		...[...personality.all].map(([value, description]) => ({ value, description: firstLine(description) })),
		{ value: none },
	],
	async run({ conversation, say }, typed) {
		const { personality } = conversation;
		if (typed === "") {
			say(listText(personality));
			return undefined;
		}
		const name = typed === none ? "" : typed;
		if (name !== "" && !personality.all.has(name)) {
			const near = nearestName(name, personality.all.keys());
			const there = near === undefined ? `there is ${[...personality.all.keys()].join(", ")}` : `did you mean ${near}?`;
			throw new CommandRefused(`Cannot use personality "${name}": ${there}`);
		}
		personality.choose(name);
		const kept = await conversation.program(["config", "set", "display.personality", name]);
		const state = name === "" ? "No personality" : `Personality ${name}`;
		say(`${state} ${sinceWhen(conversation)}${kept.ok ? "" : `; it is not kept: ${kept.text}`}`);
		return undefined;
	},
} satisfies Command;

/** A session in which nothing was said has no prompt that anybody has read: another one takes its place. */
function sinceWhen(conversation: CommandConversation): string {
	const { store, sessionId } = conversation;
	const isEmpty = store?.listMessages(sessionId).length === 0;
	if (isEmpty) conversation.startNew();
	return isEmpty ? "from now on" : "from the next session on: /new begins one";
}

function listText({ all, chosen }: CommandConversation["personality"]): string {
	const width = Math.max(...[...all.keys()].map(({ length }) => length)) + 2;
	return [...all, [none, "as the agent is by itself"] as const]
		.map(([name, text]) => `${name === (chosen || none) ? "*" : " "} ${name.padEnd(width)}${firstLine(text)}`)
		.join("\n");
}

const shownWords = 90;

function firstLine(text: string): string {
	const line = text.split("\n", 1)[0] ?? "";
	return line.length > shownWords ? `${line.slice(0, shownWords)}…` : line;
}
