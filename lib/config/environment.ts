/** The environment of the process, read once at start; nothing else reads `process.env`. */

import { resolveHermesHome, userHome } from "./home.ts";

/** What the environment says, and the variables themselves for the children that inherit them. */
export interface Environment {
	/** The user's home folder. */
	readonly home: string;
	/** Absolute; not created yet. */
	readonly hermesHome: string;
	readonly variables: Readonly<Record<string, string>>;
	/** HERMES_YOLO_MODE: calls that need consent have it. */
	readonly yolo: boolean;
	/** NO_COLOR is set and not empty (no-color.org). */
	readonly noColor: boolean;
}

/** Reads the environment of this process. */
export function readEnvironment(): Environment {
	const variables = Object.fromEntries(
		Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
	return environmentOf(variables);
}

/** The same from given variables. */
export function environmentOf(variables: Readonly<Record<string, string>>): Environment {
	return {
		home: userHome(variables),
		hermesHome: resolveHermesHome(variables),
		variables,
		yolo: /^(1|true|yes|on)$/i.test(variables.HERMES_YOLO_MODE?.trim() ?? ""),
		noColor: (variables.NO_COLOR ?? "") !== "",
	};
}
