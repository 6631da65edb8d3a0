/** The image files that a command line names, as a part of its question. */

import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { MessageImage } from "../../base/conversation.ts";
import { systemReason } from "../../base/system-reason.ts";
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
			images.push(await keepImage(cli.environment.hermesHome, readFile(path), { name: basename(path) }));
		} catch (cause) {
			if (!(cause instanceof ImageRefused)) throw cause;
			throw new CommandFailed(cause.message, { cause });
		}
	}
	return images;
}

/** A pipe or a device may never end. */
function readFile(path: string): Uint8Array {
	try {
		if (statSync(path).isFile()) return readFileSync(path);
	} catch (cause) {
		throw new CommandFailed(`Cannot read image "${path}": ${systemReason(cause) ?? String(cause)}`, { cause });
	}
	throw new CommandFailed(`Cannot read image "${path}": it is no file`);
}
