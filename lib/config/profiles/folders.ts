/** Where profiles are: the root folder is the default one, the others are below its `profiles`. */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { defaultProfile, isProfileName } from "./name.ts";

/** The root folder that a home belongs to: itself, unless it is a profile's below one. */
export function profileRoot(hermesHome: string): string {
	return isInsideProfiles(hermesHome) ? dirname(dirname(hermesHome)) : hermesHome;
}

/** The name of the profile whose home this is. */
export function profileOf(hermesHome: string): string {
	return isInsideProfiles(hermesHome) ? basename(hermesHome) : defaultProfile;
}

/** The home of profile `name`, whether it is there or not. */
export function profileHome(root: string, name: string): string {
	return name === defaultProfile ? root : join(root, "profiles", name);
}

/** Whether profile `name` is there; the default one always is. */
export function hasProfile(root: string, name: string): boolean {
	if (name === defaultProfile) return true;
	return isProfileName(name) && isFolder(profileHome(root, name));
}

/** Every profile's name: the default one, then the others in order. */
export function profileNames(root: string): string[] {
	const folder = join(root, "profiles");
	const names = isFolder(folder) ? readdirSync(folder).filter((name) => hasProfile(root, name)) : [];
	return [defaultProfile, ...names.filter((name) => name !== defaultProfile).sort()];
}

function isInsideProfiles(home: string): boolean {
	return basename(dirname(home)) === "profiles" && isProfileName(basename(home));
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
