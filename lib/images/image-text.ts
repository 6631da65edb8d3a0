/** What stands for an image where only text can be. */

import type { Message, MessageImage } from "../base/conversation.ts";

/** `[image screenshot.png]`, for a summary, a transcript, or a model that sees no images. */
export function imageText(image: MessageImage): string {
	return `[image ${nameOf(image)}]`;
}

/** For an image whose file is gone or was changed. */
export function lostImageText(image: MessageImage): string {
	return `[image ${nameOf(image)} is no longer there]`;
}

/** What a person is shown: `screenshot.png 800×600`. */
export function imageLabel(image: MessageImage): string {
	return `${nameOf(image)} ${image.width}×${image.height}`;
}

/** Short, the same each time, and of one line. */
function nameOf({ name, sha256 }: MessageImage): string {
	return name?.replace(/[\s[\]]+/g, " ").trim() || sha256.slice(0, 8);
}

/**
 * `message` with text for those of its images that `textFor` has one for, each on a line of its own before what the user said;
 * the others stay. The message itself when there is nothing to replace.
 */
export function withImageTexts(message: Message, textFor: (image: MessageImage) => string | undefined): Message {
	if (message.role !== "user" || message.images === undefined) return message;
	const texts: string[] = [];
	const left = message.images.filter((image) => {
		const text = textFor(image);
		if (text !== undefined) texts.push(text);
		return text === undefined;
	});
	if (texts.length === 0) return message;
	const { images: _, ...rest } = message;
	const content = [...texts, message.content].filter((text) => text !== "").join("\n");
	return { ...rest, content, ...(left.length > 0 && { images: left }) };
}
