/** What a model gets of the user's images: the bytes, or text in their place. The same for the same message in every request. */

import type { Message, MessageImage } from "../../base/conversation.ts";
import { imageText, lostImageText, withImageTexts } from "../../images/image-text.ts";
import type { ModelRoute } from "../routes.ts";

/** The images of a conversation, and who can see them. */
export interface Images {
	/** Undefined when the file of the image is gone or was changed. */
	read(image: MessageImage): Uint8Array | undefined;
	/** Whether a model gets them as images. */
	areSeenBy(route: Pick<ModelRoute, "providerId" | "model">): boolean;
}

/** What one conversation has learnt about images. */
export interface Sight {
	/** A provider refused them: this conversation sends no more. */
	refused: boolean;
	/** Models of which the user was told that they see none, as `provider/model`. */
	readonly told: Set<string>;
}

/** Nothing was refused yet. */
export function openSight(): Sight {
	return { refused: false, told: new Set() };
}

/** Messages as they are sent, and the images in them. */
export interface SentImages {
	readonly messages: readonly Message[];
	/** Base64 of the bytes, by the hash of the image. */
	readonly images: ReadonlyMap<string, string>;
}

/** `messages` for a model that sees images when `isSeen`; without `images` nobody can read them. */
export function sentImages(
	messages: readonly Message[],
	{ images, isSeen }: { readonly images: Images | undefined; readonly isSeen: boolean },
): SentImages {
	const read = new Map<string, string>();
	if (!hasImages(messages)) return { messages, images: read };
	const textFor = (image: MessageImage): string | undefined => {
		if (!isSeen || images === undefined) return imageText(image);
		if (read.has(image.sha256)) return undefined;
		const bytes = images.read(image);
		if (bytes === undefined) return lostImageText(image);
		read.set(image.sha256, Buffer.from(bytes).toString("base64"));
		return undefined;
	};
	return { messages: messages.map((message) => withImageTexts(message, textFor)), images: read };
}

/** Whether the user has shown an image. */
export function hasImages(messages: readonly Message[]): boolean {
	return messages.some((message) => message.role === "user" && message.images !== undefined);
}
