/** The commands that no setting and no consent lets a model run. */

/** Where the command would run; unknown parts are left out. */
export interface CommandPlace {
	readonly cwd?: string;
	readonly home?: string;
}

/** Why `command` must never run, in words for the model; undefined when the hard line has nothing against it. */
export function hardlineReason(_command: string, _place: CommandPlace = {}): string | undefined {
	return undefined;
}
