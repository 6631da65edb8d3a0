/** Images that go with what the user says: each is a marker in the text, and travels wherever the text goes. */

import { basename } from "node:path";
import type { MessageImage } from "../../base/conversation.ts";
import { readImageFile } from "../../images/image-file.ts";
import { ImageRefused } from "../../images/image-refused.ts";
import { keepImage } from "../../images/image-store.ts";
import { imageLabel } from "../../images/image-text.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import { visible } from "../runtime/paint.ts";
import { markersIn, replaceMarkers } from "./image-marker.ts";
import { mentionedImages, type PathPlace } from "./image-paths.ts";

/** What is asked, with the images that its markers stand for. */
export interface ShownQuestion {
	readonly text: string;
	readonly images: readonly MessageImage[];
	/** Why a file that is named in it is not among them. */
	readonly refused: readonly string[];
}

/** The images of one chat. */
export interface Attachments {
	/** Keeps an image and gives its marker. @throws {ImageRefused} When it cannot be used; the message says what to do. */
	add(bytes: Uint8Array, name: string): Promise<string>;
	/** The same for a file, by its absolute path. @throws {ImageRefused} Also when it cannot be read. */
	addFile(path: string): Promise<string>;
	/** Whether `text` shows an image. */
	isShown(text: string): boolean;
	/** `text` with markers for the image files that it names with `@`, and its images in the order of their markers. */
	questionOf(text: string): Promise<ShownQuestion>;
	/** Gives the text of a question that was asked before markers for its images, and knows them from now on. */
	recall(text: string, images?: readonly MessageImage[]): string;
}

/** Images are kept in `hermesHome`; `place` is asked whenever a path is read. */
export function openAttachments(hermesHome: string, place: () => PathPlace): Attachments {
	const known = new Map<string, MessageImage>();
	const markerOf = (image: MessageImage) => {
		for (let number = known.size + 1; ; number++) {
			const same = [...known].find(([, { sha256, name }]) => sha256 === image.sha256 && name === image.name);
			if (same !== undefined) return same[0];
			const marker = `[image #${number}: ${visible(imageLabel(image))}]`;
			if (known.has(marker)) continue;
			known.set(marker, image);
			return marker;
		}
	};
	const add = async (bytes: Uint8Array, name: string) =>
		markerOf(await keepImage(hermesHome, bytes, { name: shortName(name) }));
	const addFile = async (path: string) => await add(readImageFile(path), basename(path));
	return {
		add,
		addFile,
		isShown: (text) => markersIn(text).some((marker) => known.has(marker)) || mentionedImages(text, place()).length > 0,
		async questionOf(text) {
			let marked = "";
			let end = 0;
			const refused: string[] = [];
			for (const { mention, at, path } of mentionedImages(text, place())) {
				try {
					const marker = await addFile(path);
					marked += text.slice(end, at) + marker;
					end = at + mention.length;
				} catch (cause) {
					if (!(cause instanceof ImageRefused)) throw cause;
					refused.push(cause.message);
				}
			}
			marked += text.slice(end);
			const images = markersIn(marked).flatMap((marker) => known.get(marker) ?? []);
			return { text: marked, images, refused };
		},
		recall(text, images = []) {
			const written = markersIn(text);
			const isMarked = written.length === images.length;
			if (!isMarked) return [...images.map(markerOf), text].join(" ");
			const now = new Map<string, string>();
			for (const [at, image] of images.entries()) {
				const marker = written[at] ?? "";
				if (!known.has(marker)) known.set(marker, image);
				now.set(marker, known.get(marker)?.sha256 === image.sha256 ? marker : markerOf(image));
			}
			return replaceMarkers(text, (marker) => now.get(marker) ?? marker);
		},
	};
}

/** Where a question goes, and what is told of it before. */
export interface AskingScene {
	readonly conversation: Pick<Conversation, "runTurn" | "steer">;
	/** Told what is asked, with markers. */
	onQuestion?(text: string): void;
	/** Told why an image does not go with it. */
	onRefused(reason: string): void;
}

/** A conversation that is asked with the images of what is said. */
export function askedWithImages(
	attachments: Attachments,
	{ conversation, onQuestion, onRefused }: AskingScene,
): Pick<Conversation, "runTurn" | "steer"> {
	return {
		steer: (text) => conversation.steer(text),
		async runTurn(said, signal) {
			const { text, images, refused } = await attachments.questionOf(said);
			onQuestion?.(text);
			for (const reason of refused) onRefused(reason);
			return await conversation.runTurn(text, signal, images);
		},
	};
}

const longestName = 60;

function shortName(name: string): string {
	return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}
