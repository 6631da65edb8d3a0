/** `/paste`: what the clipboard holds, for terminals that keep Ctrl-V for themselves. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "paste",
	description: "attach the picture in the clipboard of this machine to what you say next, or put its text there",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	async run({ images, say }) {
		if (images === undefined) throw new CommandRefused("Cannot paste: this chat has no clipboard");
		const text = await images.paste();
		const shown = text.startsWith("[image #") ? text : `${text.length} characters`;
		say(`${shown} from the clipboard: that goes with what you say next`);
		return undefined;
	},
} satisfies Command;
