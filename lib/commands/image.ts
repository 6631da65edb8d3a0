/** `/image`: a picture for what is said next. */

import { type Command, CommandRefused, chatSurfaces } from "./command.ts";

export default {
	name: "image",
	description: "attach the image in PATH to what you say next",
	argumentsHint: "PATH",
	category: "session",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	async run({ images, say }, path) {
		if (images === undefined) throw new CommandRefused("Cannot attach an image: this chat takes none");
		if (path === "") throw new CommandRefused("Cannot attach nothing: say /image PATH, of a PNG, JPEG, GIF or WebP");
		say(`${await images.attachFile(path)} goes with what you say next`);
		return undefined;
	},
} satisfies Command;
