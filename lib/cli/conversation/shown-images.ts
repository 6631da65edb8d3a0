/** The image files that a command line names, as a part of its question. */

import { basename } from "node:path";
import type { MessageImage } from "../../base/conversation.ts";
import { readImageFile } from "../../images/image-file.ts";
import { ImageRefused } from "../../images/image-refused.ts";
import { keepImage } from "../../images/image-store.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/**
 * Keeps the images in the files `paths`, in order.
 * @throws {CommandFailed} When one cannot be read or sent; nobody was asked anything then.
 */
export async function shownImages(cli: Cli, paths: readonly string[] = []): Promise<readonly MessageImage[]> {
	const images: MessageImage[] = [];
	for (const path of paths) {
		try {
			images.push(await keepImage(cli.environment.hermesHome, readImageFile(path), { name: basename(path) }));
		} catch (cause) {
			if (!(cause instanceof ImageRefused)) throw cause;
			throw new CommandFailed(cause.message, { cause });
		}
	}
	return images;
}
