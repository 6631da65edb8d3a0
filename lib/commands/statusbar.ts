/** `/statusbar`: whether the lowest line of the chat is shown. */

import { type Command, CommandRefused } from "./command.ts";

const answers: Readonly<Record<string, boolean>> = { on: true, off: false };

export default {
	name: "statusbar",
	aliases: ["sb"],
	description: "show or hide the lowest line, in later chats too; the other of both without a word",
	argumentsHint: "[on|off]",
	category: "configuration",
	surfaces: ["terminal"],
	whileBusy: "runs",
	complete: () => Object.keys(answers).map((value) => ({ value })),
	async run({ conversation, statusBar, say }, typed) {
		if (statusBar === undefined) throw new CommandRefused("Cannot hide the status line: this chat has none");
		const wanted = typed === "" ? !statusBar.isShown : answers[typed.toLowerCase()];
		if (wanted === undefined) throw new CommandRefused("Cannot understand that: say /statusbar on or /statusbar off");
		statusBar.show(wanted);
		const kept = await conversation.program(["config", "set", "display.statusbar", String(wanted)]);
		const state = `The status line is ${wanted ? "shown" : "hidden, but for what it has to say of keys"}`;
		say(kept.ok ? state : `${state}, in this chat; it is not kept: ${kept.text}`);
		return undefined;
	},
} satisfies Command;
