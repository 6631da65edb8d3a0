/** `active_profile` in the root folder: the profile that is meant when none is named. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import { ensureHermesHome } from "../home.ts";
import { defaultProfile } from "./name.ts";

/** The name in it; undefined when none was chosen. */
export function stickyProfile(root: string): string | undefined {
	try {
		return readFileSync(stickyPath(root), "utf8").trim() || undefined;
	} catch (error) {
		if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
			return undefined;
		throw error;
	}
}

/** Makes `name` the one that is meant; the default one needs no file. */
export function setStickyProfile(root: string, name: string): void {
	if (name === defaultProfile) {
		rmSync(stickyPath(root), { force: true });
		return;
	}
	ensureHermesHome(root);
	writeFileAtomically(stickyPath(root), `${name}\n`);
}

function stickyPath(root: string): string {
	return join(root, "active_profile");
}
