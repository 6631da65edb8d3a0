/** Renames and removes profiles. */

import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProfileExists } from "./create.ts";
import { hasProfile, profileHome } from "./folders.ts";
import { defaultProfile } from "./name.ts";
import { setStickyProfile, stickyProfile } from "./sticky.ts";

/**
 * Gives profile `name` another name. Nobody may work in it meanwhile.
 * @throws {ProfileExists} When there is one of the new name.
 */
export function renameProfile(root: string, name: string, newName: string): void {
	if (hasProfile(root, newName))
		throw new ProfileExists(`Cannot call it "${newName}": there is a profile of that name`);
	renameSync(profileHome(root, name), profileHome(root, newName));
	if (stickyProfile(root) === name) setStickyProfile(root, newName);
}

/** Removes profile `name` with all it holds; when it was the usual one, the default one is that again. */
export function removeProfile(root: string, name: string): void {
	const home = profileHome(root, name);
	const going = join(dirname(home), `.gone-${name}-${crypto.randomUUID().slice(0, 8)}`);
	if (stickyProfile(root) === name) setStickyProfile(root, defaultProfile);
	// Renamed first: a removal that is interrupted must not leave half a profile under its name.
	renameSync(home, going);
	rmSync(going, { recursive: true, force: true });
}
