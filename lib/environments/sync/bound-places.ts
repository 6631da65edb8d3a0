/** The sources as containers see them that share the disk of this machine: mounted, read-only, and without links that lead out. */

import { copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/attempt.ts";
import type { BoundPlace } from "../backend.ts";
import type { SyncSources } from "./sync-sources.ts";

/** Where containers have them. */
const base = "/root/.hermes";

/** Both engines read these in the words for a mount. */
const unsayable = /[:,\n]/;

/**
 * What to mount. Folders are made when they are missing: a container that is kept must find the same mounts at every start.
 * `home` is HERMES_HOME, where copies of folders with links in them are kept.
 */
export function boundPlaces({ files, trees }: SyncSources, home: string): BoundPlace[] {
	const folders = trees.flatMap(({ from, to }): BoundPlace[] => {
		const made = attempt(() => mkdirSync(from, { recursive: true, mode: 0o700 }));
		return made.ok
			? [{ from: withoutLinks(from, join(home, "sandboxes", "without-links", to)), to: `${base}/${to}` }]
			: [];
	});
	const single = files.map(({ from, to }) => ({ from, to: `${base}/${to}` }));
	return [...folders, ...single].filter(({ from, to }) => !unsayable.test(from) && !unsayable.test(to));
}

/** The folder itself, or a copy of its regular files: a link in a mount would be followed inside the container, or by its user. */
function withoutLinks(folder: string, copy: string): string {
	if (!hasLink(folder)) return folder;
	mirror(folder, copy);
	return copy;
}

function hasLink(folder: string): boolean {
	return readdirSync(folder, { withFileTypes: true }).some(
		(entry) => entry.isSymbolicLink() || (entry.isDirectory() && hasLink(join(folder, entry.name))),
	);
}

/** Changes what differs: a container that runs has the copy mounted. */
function mirror(from: string, to: string): void {
	if (lstatSync(to, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(to);
	mkdirSync(to, { recursive: true, mode: 0o700 });
	const wanted = new Set<string>();
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		const [source, target] = [join(from, entry.name), join(to, entry.name)];
		if (entry.isDirectory()) mirror(source, target);
		else if (entry.isFile()) copyChanged(source, target);
		else continue;
		wanted.add(entry.name);
	}
	for (const name of readdirSync(to)) if (!wanted.has(name)) rmSync(join(to, name), { recursive: true });
}

function copyChanged(source: string, target: string): void {
	const facts = statSync(source);
	const there = lstatSync(target, { throwIfNoEntry: false });
	if (there?.isFile() && there.size === facts.size && there.mtimeMs === facts.mtimeMs) return;
	rmSync(target, { recursive: true, force: true });
	copyFileSync(source, target);
	utimesSync(target, facts.atime, facts.mtime);
}
