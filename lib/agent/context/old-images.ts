/** Images that a shortened conversation leaves behind: each costs as much as a page of text in every request that follows. */

import type { Message } from "../../base/conversation.ts";
import { imageText, withImageTexts } from "../../images/image-text.ts";

/**
 * `kept` with text for images, but for those of the newest message of `all` that has any. Only where the beginning of the
 * conversation changes anyway: at any other time it would make caches useless.
 */
export function withoutOldImages(kept: readonly Message[], all: readonly Message[]): readonly Message[] {
	const newest = all.findLast((message) => message.role === "user" && message.images !== undefined);
	return kept.map((message) => (message === newest ? message : withImageTexts(message, imageText)));
}
