/** What stands for an image where only text can be. */

import type { MessageImage } from "../base/conversation.ts";

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
