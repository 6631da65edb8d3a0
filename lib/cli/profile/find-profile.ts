/** Profiles as the verbs of `hermes profile` name them. */

import { nearestName } from "../../base/nearest-name.ts";
import { hasProfile, profileHome, profileNames, profileRoot } from "../../config/profiles/folders.ts";
import { defaultProfile, nameProblem } from "../../config/profiles/name.ts";
import { CommandFailed, UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/** The folder that all profiles of this user are in. */
export function rootOf(cli: Cli): string {
	return profileRoot(cli.environment.hermesHome);
}

/**
 * The home of a profile that is there.
 * @throws {CommandFailed} When there is none of this name.
 */
export function existingProfile(cli: Cli, name: string): string {
	const root = rootOf(cli);
	if (hasProfile(root, name)) return profileHome(root, name);
	const names = profileNames(root);
	const near = nearestName(name, names);
	const meant = near === undefined ? "" : `; did you mean "${near}"?`;
	throw new CommandFailed(`Cannot find profile "${name}": there is ${names.join(", ")}${meant}`);
}

/**
 * The same for what cannot be done to the default profile.
 * @throws {UsageError} When it is the default one.
 */
export function ownProfile(cli: Cli, name: string, verb: string): string {
	if (name === defaultProfile)
		throw new UsageError(`Cannot ${verb} "${name}": it is the folder that the others are in`);
	return existingProfile(cli, name);
}

/**
 * Checks the name of a profile that is to be made.
 * @throws {UsageError} With what is wrong with it.
 */
export function checkNewName(cli: Cli, name: string): void {
	const problem = nameProblem(name, [...Object.keys(cli.plugins.subcommands), "help"]);
	if (problem !== undefined) throw new UsageError(`Cannot call a profile "${name}": ${problem}`);
}
