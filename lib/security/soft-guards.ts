/** Places that a change hardly ever means: other profiles, and copies of HERMES_HOME that no hermes reads. */

import { type HomeFolders, isAtOrBelow } from "./path-safety.ts";

/** What a profile is made of; a change of it changes what another assistant of the user does. */
const profileParts = ["skills", "plugins", "cron", "memories"];
const mirror = /\/sandboxes\/[^/]+\/[^/]+\/home\/\.hermes(?=\/|$)/;
/** Backends whose sandbox has a home of its own, in which nobody looks for files of hermes. */
const ownHome = /^(?:docker|singularity|modal|daytona)\b/;
const override = "set cross_profile to true when you really mean that file";

/** Why `path` (absolute, links resolved) is most likely the wrong file on `ranOn`; undefined when nothing speaks for it. */
export function softRefusal(path: string, folders: HomeFolders, ranOn = "local"): string | undefined {
	const { home, hermesHome } = folders;
	if (mirror.test(path)) {
		return `it is the home of a sandbox as this machine keeps it, and hermes reads ${hermesHome} instead; ${override}`;
	}
	if (ownHome.test(ranOn)) {
		const isInside = isAtOrBelow(path, `${home}/.hermes`) || isAtOrBelow(path, "/root/.hermes");
		return isInside ? `it is in the home of the sandbox, and hermes reads its own on the host; ${override}` : undefined;
	}
	const other = otherProfile(path, folders);
	return other === undefined ? undefined : `it belongs to the profile in ${other}, not to yours; ${override}`;
}

/** The home of another profile that `path` is a part of. */
function otherProfile(path: string, { home, hermesHome }: HomeFolders): string | undefined {
	const roots = [hermesHome.replace(/\/profiles\/[^/]+$/, ""), `${home}/.hermes`];
	for (const root of roots) {
		if (!path.startsWith(`${root}/`)) continue;
		const name = /^profiles\/[^/]+(?=\/)/.exec(path.slice(root.length + 1))?.[0];
		const owner = name === undefined ? root : `${root}/${name}`;
		const isPart = profileParts.some((part) => isAtOrBelow(path, `${owner}/${part}`));
		if (isPart && owner !== hermesHome) return owner;
	}
	return undefined;
}
