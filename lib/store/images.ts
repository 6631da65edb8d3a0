/** Which images messages refer to, and what becomes of those that none does. */

import { dirname } from "node:path";
import { keptImages, removeImages } from "../images/remove-images.ts";
import type { Connection } from "./write.ts";

/** A row for each image of a message of the user; a column that is no JSON has none. */
const imagesOfMessages = `SELECT DISTINCT json_extract(image.value, '$.sha256') AS hash
	FROM messages, json_each(CASE WHEN json_valid(extra) THEN extra END, '$.images') AS image
	WHERE role = 'user'`;

/** Hashes of the images of one session. */
export function imagesOf({ database }: Connection, sessionId: string): readonly string[] {
	const rows = database.query<{ hash: string }, { sessionId: string }>(
		`${imagesOfMessages} AND session_id = $sessionId`,
	);
	return rows.all({ sessionId }).map(({ hash }) => hash);
}

/** Removes those of `hashes` that no message refers to any more. */
export function removeUnusedImages({ database, path, read }: Connection, hashes: readonly string[]): void {
	if (hashes.length === 0) return;
	const used = new Set(
		read(() => database.query<{ hash: string }, []>(imagesOfMessages).all()).map(({ hash }) => hash),
	);
	const unused = hashes.filter((hash) => !used.has(hash));
	removeImages(dirname(path), unused);
}

/** Images that were attached to a question and never sent; not those of today, whose question may still come. */
export function forgottenImages({ path }: Connection): readonly string[] {
	return keptImages(dirname(path), { drafts: false });
}
