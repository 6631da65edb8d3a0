/** What a model gets of the user's images: the bytes, or text in their place. The same for the same message in every request. */

import type { Message, MessageImage } from "../../base/conversation.ts";
import { imageText, lostImageText, withImageTexts } from "../../images/image-text.ts";
import type { Conversation } from "../conversation.ts";
import type { ModelRoute } from "../routes.ts";

/** Where images are read, and which models see them. */
export interface ImageSource {
	/** Undefined when the file of the image is gone or was changed. */
	read(image: MessageImage): Uint8Array | undefined;
	/** Whether a model gets them as images. */
	areSeenBy(route: AskedModel): boolean;
}

/** The images of a session, and what was learnt about its models. */
export interface Images extends ImageSource {
	/** This model's provider refused them: it is sent no more. */
	refusedBy(route: AskedModel): void;
}

type AskedModel = Pick<ModelRoute, "providerId" | "model">;

/** Nothing was refused yet. One for a session: several agents may go on with it, one after the other. */
export function openImages({ read, areSeenBy }: ImageSource): Images {
	const refused = new Set<string>();
	return {
		read,
		areSeenBy: (route) => !refused.has(nameOf(route)) && areSeenBy(route),
		refusedBy: (route) => void refused.add(nameOf(route)),
	};
}

/** A model of a provider, as a key. */
export function nameOf({ providerId, model }: AskedModel): string {
	return `${providerId}/${model}`;
}

/** What one conversation has learnt about images. */
export interface Sight {
	/** Models of which the user was told that they are sent none, as `provider/model`. */
	readonly told: Set<string>;
	/** Messages with text for images, by the message: who knows one by its identity meets it again. */
	readonly replaced: WeakMap<Message, Message>;
}

/** Nothing was told yet. */
export function openSight(): Sight {
	return { told: new Set(), replaced: new WeakMap() };
}

/** Messages as they are sent, and the images in them. */
export interface SentImages {
	readonly messages: readonly Message[];
	/** Base64 of the bytes, by the hash of the image. */
	readonly images: ReadonlyMap<string, string>;
}

/** For whom messages are. */
export interface SentImagesOptions extends Pick<Sight, "replaced"> {
	readonly images: Images | undefined;
	/** Whether the model sees images. */
	readonly isSeen: boolean;
}

/** `messages` for a model that sees images when `isSeen`; without `images` nobody can read them. */
export function sentImages(messages: readonly Message[], { images, isSeen, replaced }: SentImagesOptions): SentImages {
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
	const sent = messages.map((message) => {
		const now = withImageTexts(message, textFor);
		if (now === message) return message;
		const before = replaced.get(message);
		if (before !== undefined && isSame(before, now)) return before;
		replaced.set(message, now);
		return now;
	});
	return { messages: sent, images: read };
}

function isSame(before: Message, now: Message): boolean {
	const count = (message: Message) => (message.role === "user" ? message.images?.length : undefined);
	return before.content === now.content && count(before) === count(now);
}

/** Whether the model that is asked now is sent images. */
export function isSeen({ options, routes }: Pick<Conversation, "options" | "routes">): boolean {
	return options.images?.areSeenBy(routes.current) === true;
}

/** Whether the user has shown an image. */
export function hasImages(messages: readonly Message[]): boolean {
	return messages.some((message) => message.role === "user" && message.images !== undefined);
}
