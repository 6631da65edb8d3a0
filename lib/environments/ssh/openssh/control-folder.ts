/** A folder for the sockets through which ssh clients share one connection. Whoever can reach them is logged in. */

import { chmodSync, lstatSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";

/** A socket's path may have 104 bytes (macOS), and ssh adds 17 of its own while it makes one; a name has 16. */
const longestFolder = 104 - 17 - 17;

/**
 * The user's runtime folder, else one in /tmp with the user's number, which is the same for every process of that user. A
 * folder that somebody else made first, or that others may enter, is not used: then a new one is made for this process.
 */
export function controlFolder(environment: Readonly<Record<string, string>>): string {
	const user = process.getuid?.() ?? 0;
	const runtime = environment.XDG_RUNTIME_DIR;
	const candidates = [...(runtime ? [join(runtime, "hermes-ssh")] : []), `/tmp/hermes-ssh-${user}`];
	const usable = candidates.find((folder) => folder.length <= longestFolder && isOurs(folder, user));
	return usable ?? mkdtempSync("/tmp/hermes-ssh-");
}

function isOurs(folder: string, user: number): boolean {
	try {
		mkdirSync(folder, { mode: 0o700 });
		// The umask may have taken more.
		chmodSync(folder, 0o700);
		return true;
	} catch {
		// It is there already, or cannot be made.
	}
	const found = lstatSync(folder, { throwIfNoEntry: false });
	return found?.isDirectory() === true && found.uid === user && (found.mode & 0o077) === 0;
}
