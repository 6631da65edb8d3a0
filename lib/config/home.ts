/** HERMES_HOME: the one folder that keeps what hermes remembers. */

import { accessSync, constants, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { systemReason } from "../base/system-reason.ts";

/** The user's home folder: `HOME` when it is set, else what the system says. */
export function userHome(variables: Readonly<Record<string, string>>): string {
	return variables.HOME || homedir();
}

/** Absolute path of HERMES_HOME: the variable with `~` expanded, else `~/.hermes`. Nothing is created. */
export function resolveHermesHome(variables: Readonly<Record<string, string>>): string {
	const home = userHome(variables);
	const given = variables.HERMES_HOME?.trim();
	if (!given) return join(home, ".hermes");
	return resolve(given.replace(/^~(?=\/|$)/, () => home));
}

/**
 * Makes sure that `path` is a folder we can write to; a folder made here is 0700.
 * @throws {HermesHomeUnusable} When it cannot be created or written.
 */
export function ensureHermesHome(path: string): void {
	try {
		mkdirSync(path, { recursive: true, mode: 0o700 });
		accessSync(path, constants.W_OK | constants.X_OK);
	} catch (cause) {
		throw new HermesHomeUnusable(
			`Cannot write to HERMES_HOME "${path}": ${reasonOf(cause)}; set HERMES_HOME to a folder of your own`,
			{ cause },
		);
	}
}

/** HERMES_HOME cannot hold our files. The message is one line and says what to do. */
export class HermesHomeUnusable extends Error {
	override readonly name = "HermesHomeUnusable";
}

function reasonOf(cause: unknown): string {
	const reason = systemReason(cause) ?? String(cause);
	return reason === "it is there already" ? "it is a file, not a folder" : reason;
}
