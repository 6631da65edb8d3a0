/** Which profile a command line runs in. */

import { nearestName } from "../../base/nearest-name.ts";
import { type Environment, environmentOf } from "../environment.ts";
import { hasProfile, profileHome, profileNames, profileOf, profileRoot } from "./folders.ts";
import { defaultProfile, isProfileName } from "./name.ts";
import { stickyProfile } from "./sticky.ts";

/** Who said which profile it is. */
export type ChosenBy = "--profile" | "HERMES_HOME" | "HERMES_PROFILE" | "hermes profile use" | "nobody";

/** A profile by name, whether it is there or not. */
export interface Choice {
	readonly name: string;
	readonly by: ChosenBy;
}

/** There is no such profile. The message says which there are; nothing runs in another one instead. */
export class ProfileMissing extends Error {
	override readonly name = "ProfileMissing";
}

/**
 * `--profile`, else a HERMES_HOME that is a profile's folder, else HERMES_PROFILE, else what `hermes profile use` wrote,
 * else the default one.
 */
export function chooseProfile({ hermesHome, variables }: Environment, flag: string | undefined): Choice {
	if (flag !== undefined) return { name: flag, by: "--profile" };
	const ofHome = profileOf(hermesHome);
	if (ofHome !== defaultProfile) return { name: ofHome, by: "HERMES_HOME" };
	const variable = variables.HERMES_PROFILE?.trim();
	if (variable) return { name: variable, by: "HERMES_PROFILE" };
	const sticky = stickyProfile(hermesHome);
	if (sticky !== undefined) return { name: sticky, by: "hermes profile use" };
	return { name: defaultProfile, by: "nobody" };
}

/**
 * The environment of a run in that profile. Its variables name the profile too, so that a hermes which is started from it
 * is in the same one, whatever becomes the usual one meanwhile.
 * @throws {ProfileMissing} When it is not there.
 */
export function environmentIn(environment: Environment, { name, by }: Choice): Environment {
	if (by === "nobody") return environment;
	const root = profileRoot(environment.hermesHome);
	if (!hasProfile(root, name) && by !== "HERMES_HOME") throw new ProfileMissing(missing(root, { name, by }));
	const { HERMES_PROFILE: _, ...variables } = environment.variables;
	return environmentOf({
		...variables,
		HERMES_HOME: profileHome(root, name),
		...(name === defaultProfile && { HERMES_PROFILE: defaultProfile }),
	});
}

function missing(root: string, { name, by }: Choice): string {
	const names = profileNames(root);
	const near = nearestName(name, names);
	return `Cannot use profile "${name}" (${by}): there is ${names.join(", ")}; ${adviceFor(name, by, near)}`;
}

function adviceFor(name: string, by: ChosenBy, near: string | undefined): string {
	if (near !== undefined) return `did you mean "${near}"?`;
	if (by === "hermes profile use") return "choose another with hermes profile use";
	return isProfileName(name) ? `make it with hermes profile create ${name}` : "see hermes profile list";
}
