/** A command of a profile's name that starts hermes in that profile. */

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import { quoteWords } from "../../base/shell-quoting.ts";

/** Every alias has this line; a file without it is somebody else's. */
const mark = "# made by hermes profile alias";

/** Where aliases are: a folder that is on the PATH of most users. */
function aliasPath(userHome: string, name: string): string {
	return join(userHome, ".local/bin", name);
}

/** Something else has the name. */
class AliasTaken extends Error {
	override readonly name = "AliasTaken";
}

/**
 * Writes the alias of profile `name`, which starts `program`. Returns its path.
 * @throws {AliasTaken} When a file is there that is no alias.
 */
export function writeAlias(userHome: string, name: string, program: readonly string[]): string {
	const path = aliasPath(userHome, name);
	if (existsSync(path) && !isAlias(path)) {
		throw new AliasTaken(`Cannot write "${path}": another program has this name`);
	}
	mkdirSync(join(userHome, ".local/bin"), { recursive: true });
	const words = quoteWords([...program, "--profile", name]);
	writeFileAtomically(path, `#!/bin/sh\n${mark}\nexec ${words} "$@"\n`, { newMode: 0o755 });
	return path;
}

/** Removes the alias if there is one. Returns whether there was. */
export function removeAlias(userHome: string, name: string): boolean {
	const path = aliasPath(userHome, name);
	if (!existsSync(path) || !isAlias(path)) return false;
	rmSync(path);
	return true;
}

/** Whether profile `name` has one. */
export function hasAlias(userHome: string, name: string): boolean {
	const path = aliasPath(userHome, name);
	return existsSync(path) && isAlias(path);
}

function isAlias(path: string): boolean {
	return readFileSync(path, "utf8").split("\n", 2)[1] === mark;
}
