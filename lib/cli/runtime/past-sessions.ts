/** The earlier sessions that the tool of a conversation may look into: of this profile, and of the others beside it. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { profileHome, profileNames, profileRoot } from "../../config/profiles/folders.ts";
import { isProfileName } from "../../config/profiles/name.ts";
import type { PastSessions } from "../../registry/agent-state.ts";
import { archiveOf, openArchive } from "../../store/search/archive.ts";
import { type Store, StoreRefused } from "../../store/store.ts";

/** What session `sessionId` reaches in `store`, and in the other profiles around `hermesHome`. */
export function pastSessions(store: Store, hermesHome: string, sessionId: string): PastSessions {
	const root = profileRoot(hermesHome);
	const databaseOf = (profile: string) => join(profileHome(root, profile), "state.db");
	const own = join(hermesHome, "state.db");
	return {
		sessionId,
		archive: archiveOf((work) => store.read(work)),
		profiles: () => profileNames(root).filter((name) => isOther(databaseOf(name), own)),
		openProfile(name) {
			// A name is never a path.
			if (!isProfileName(name)) throw new StoreRefused(`Cannot read profile "${name}": it is no name of a profile`);
			return openArchive(databaseOf(name));
		},
	};
}

function isOther(path: string, own: string): boolean {
	return path !== own && existsSync(path);
}
