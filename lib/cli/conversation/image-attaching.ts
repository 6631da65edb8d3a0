/** How images get into what the user says next: from a file, or from the clipboard. */

import { CommandRefused, type ImageChoice } from "../../commands/command.ts";
import { ImageRefused } from "../../images/image-refused.ts";
import { type ClipboardVariables, readClipboard } from "../runtime/read-clipboard.ts";
import type { Attachments } from "./attachments.ts";
import { type PathPlace, pathOf } from "./image-paths.ts";

/** Where images come from and go to. */
export interface AttachingScene {
	readonly attachments: Attachments;
	readonly variables: ClipboardVariables;
	/** What relative paths begin in. */
	place(): PathPlace;
	/** Puts `text` into what the user says next. */
	put(text: string): void;
}

/** What the commands of a chat do with images. */
export function imageAttaching(scene: AttachingScene): ImageChoice {
	const { attachments, place, put } = scene;
	const placed = async (text: Promise<string>) => {
		const said = await refusing(text);
		put(said);
		return said;
	};
	return {
		attachFile: (written) => placed(attachments.addFile(pathOf(written, place()))),
		paste: () => placed(pasted(scene)),
	};
}

/**
 * What the clipboard holds, as text for what is said next: the marker of an image, or the text itself.
 * @throws {ImageRefused} When there is nothing, or what there is cannot be used; the message says what to do.
 */
export async function pasted({ attachments, variables }: Omit<AttachingScene, "put" | "place">): Promise<string> {
	const content = await readClipboard(variables);
	if (content.kind === "image") return await attachments.add(content.bytes, "clipboard");
	if (content.kind === "text") return content.text;
	throw new ImageRefused(content.why);
}

async function refusing(text: Promise<string>): Promise<string> {
	try {
		return await text;
	} catch (cause) {
		if (!(cause instanceof ImageRefused)) throw cause;
		throw new CommandRefused(cause.message, { cause });
	}
}
