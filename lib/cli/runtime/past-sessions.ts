/** The earlier sessions that the tool of a conversation may look into: of this profile, and of the others beside it. */

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PastSessions } from "../../registry/agent-state.ts";
import { archiveOf, openArchive } from "../../store/search/archive.ts";
import { type Store, StoreRefused } from "../../store/store.ts";

/** The name of the profile that is no folder of its own. */
const defaultProfile = "default";

/** What session `sessionId` reaches in `store`, and in the other profiles around `hermesHome`. */
export function pastSessions(store: Store, hermesHome: string, sessionId: string): PastSessions {
	const root = basename(dirname(hermesHome)) === "profiles" ? dirname(dirname(hermesHome)) : hermesHome;
	const databaseOf = (profile: string) =>
		profile === defaultProfile ? join(root, "state.db") : join(root, "profiles", profile, "state.db");
	const own = join(hermesHome, "state.db");
	return {
		sessionId,
		archive: archiveOf((work) => store.read(work)),
		profiles: () =>
			[defaultProfile, ...foldersIn(join(root, "profiles"))].filter((name) => isOther(databaseOf(name), own)),
		openProfile(name) {
			// A name is never a path.
			if (!/^[a-z0-9][\w.-]*$/i.test(name))
				throw new StoreRefused(`Cannot read profile "${name}": it is no name of a profile`);
			return openArchive(databaseOf(name));
		},
	};
}

function isOther(path: string, own: string): boolean {
	return path !== own && existsSync(path);
}

function foldersIn(path: string): readonly string[] {
	return existsSync(path) ? readdirSync(path) : [];
}
