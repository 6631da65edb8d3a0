/** `/copy`: the last answer on the clipboard. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";
import { keptStore } from "./conversation.ts";

/** Bytes that terminals take; some drop what is longer without a word. */
const mostBytes = 74_994;

export default {
	name: "copy",
	description: "put the last answer on the clipboard, as your terminal allows it; also over ssh",
	category: "info",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ conversation, copy, say }) {
		if (copy === undefined)
			throw new CommandRefused("Cannot copy: this terminal has no clipboard; /save FILE writes a file");
		const answer = keptStore(conversation)
			.listMessages(conversation.sessionId)
			.map(({ message }) => message)
			.findLast(({ role, content }) => role === "assistant" && content.trim() !== "");
		if (answer === undefined) throw new CommandRefused("Cannot copy: there is no answer yet");
		const bytes = Buffer.byteLength(answer.content);
		if (bytes > mostBytes)
			throw new CommandRefused(`Cannot copy ${bytes} bytes: terminals take ${mostBytes}; /save FILE writes a file`);
		copy(answer.content);
		say(`The last answer (${bytes} bytes) was sent to your terminal's clipboard`);
		return undefined;
	},
} satisfies Command;
