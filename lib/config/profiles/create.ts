/** Makes a profile: an empty one, or one that begins as another one is. */

import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { clonedFiles, isCloned, isScratch } from "./contents.ts";
import { hasProfile, profileHome } from "./folders.ts";

/** What a new profile begins with. */
export interface Beginning {
	/** Its settings, keys, notes and skills; or everything but its history. */
	readonly copies: "settings" | "everything";
	/** The home that is copied from. */
	readonly from: string;
}

/** A profile of this name is there already. */
export class ProfileExists extends Error {
	override readonly name = "ProfileExists";
}

/**
 * Makes profile `name` whole or not at all, and returns its home (0700).
 * @throws {ProfileExists} When there is one; it is left as it was.
 */
export async function createProfile(root: string, name: string, beginning?: Beginning): Promise<string> {
	return await putProfile(root, name, (folder) => {
		if (beginning !== undefined) copyHome(beginning, folder);
	});
}

/** Lets `fill` make a profile's home, which gets its name when it is complete. */
export async function putProfile(
	root: string,
	name: string,
	fill: (folder: string) => Promise<void> | void,
): Promise<string> {
	const home = profileHome(root, name);
	refuseExisting(root, name);
	const unfinished = join(dirname(home), `.new-${name}-${crypto.randomUUID().slice(0, 8)}`);
	try {
		mkdirSync(unfinished, { recursive: true, mode: 0o700 });
		await fill(unfinished);
		refuseExisting(root, name);
		renameSync(unfinished, home);
	} catch (error) {
		rmSync(unfinished, { recursive: true, force: true });
		throw error;
	}
	return home;
}

function refuseExisting(root: string, name: string): void {
	if (hasProfile(root, name)) throw new ProfileExists(`Cannot make profile "${name}": it is there already`);
}

function copyHome({ from, copies }: Beginning, to: string): void {
	const names =
		copies === "settings"
			? clonedFiles.filter((name) => existsSync(join(from, name)))
			: readdirSync(from).filter(isCloned);
	for (const name of names) {
		cpSync(join(from, name), join(to, name), {
			recursive: true,
			preserveTimestamps: true,
			verbatimSymlinks: true,
			filter: (path) => !isScratch(basename(path)),
		});
	}
}
