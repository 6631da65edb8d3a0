/** What a profile may be called. */

/** The profile that is the root folder itself. */
export const defaultProfile = "default";

const form = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Names that would be mistaken for something else, as folders or as commands. */
const reserved: ReadonlySet<string> = new Set([defaultProfile, "hermes", "test", "tmp", "root", "sudo"]);

/** Whether `name` is a profile's, the default one included. */
export function isProfileName(name: string): boolean {
	return form.test(name);
}

/**
 * Why no profile can be made under `name`; undefined when one can.
 * @param taken Words that mean something else already, as the subcommands do: an alias of that name would hide them.
 */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
	if (!isProfileName(name)) {
		return "a name is up to 64 lower-case letters, digits, - and _, and begins with a letter or a digit";
	}
	if (reserved.has(name)) return "the name is reserved";
	return taken.includes(name) ? "a subcommand has this name" : undefined;
}
