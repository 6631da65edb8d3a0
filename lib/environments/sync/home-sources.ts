/** The sources of one HERMES_HOME: skills, memories and caches, and the files with credentials that were named. */

import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import { attempt } from "../../base/attempt.ts";
import { isAtOrBelow } from "../../security/path-safety.ts";
import type { SyncFile, SyncSources, SyncTree } from "./sync-sources.ts";

/** What is asked for. */
export interface HomeChoice {
	/** HERMES_HOME, absolute. */
	readonly home: string;
	/** Further folders with skills, absolute. */
	readonly externalSkills: readonly string[];
	/** Paths below HERMES_HOME. Earlier ones win a place. */
	readonly credentials: readonly string[];
	/** Whether what a sandbox makes in the caches, or in the skills, comes back. */
	readonly cacheComesBack: boolean;
	readonly skillsComeBack: boolean;
}

/** The caches: their name, and the folder that held them in older homes. */
const caches = [
	["documents", "document_cache"],
	["images", "image_cache"],
	["audio", "audio_cache"],
	["videos", "video_cache"],
	["screenshots", "browser_screenshots"],
] as const;

/** What there is of it now. */
export function homeSources(choice: HomeChoice): SyncSources {
	const { home, externalSkills, credentials, cacheComesBack, skillsComeBack } = choice;
	const external = externalSkills.map(
		(from, index): SyncTree => ({ from, to: `external_skills/${index}`, comesBack: false }),
	);
	const trees: SyncTree[] = [
		{ from: join(home, "skills"), to: "skills", comesBack: skillsComeBack },
		...external,
		{ from: join(home, "memories"), to: "memories", comesBack: false },
		...caches.map(([name, legacy]) => ({
			from: cacheFolder(home, name, legacy),
			to: `cache/${name}`,
			comesBack: cacheComesBack,
		})),
	];
	const files = credentials.map((path) => credentialFile(home, path)).filter((found) => typeof found !== "string");
	return { files, trees };
}

/** A file with credentials as a source, or why it is none. The home itself may be a link; nothing below it may lead out. */
export function credentialFile(home: string, path: string): SyncFile | string {
	const to = normalize(path.replaceAll("\\", "/")).replace(/\/$/, "");
	if (isAbsolute(path) || /^(?:\.\.?(?:\/|$)|[A-Za-z]:)/.test(to)) return "it is not below HERMES_HOME";
	const resolved = attempt(() => ({ home: realpathSync(home), file: realpathSync(join(home, to)) }));
	if (!resolved.ok) return "it is not there";
	const { file } = resolved.value;
	if (!isAtOrBelow(file, resolved.value.home)) return "it leads out of HERMES_HOME";
	if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return "it is no regular file";
	return { from: file, to };
}

/** Older homes keep using their folder; the sandbox has it under the new name. */
function cacheFolder(home: string, name: string, legacy: string): string {
	const old = join(home, legacy);
	const current = join(home, "cache", name);
	return isFolder(old) && !isFolder(current) ? old : current;
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
