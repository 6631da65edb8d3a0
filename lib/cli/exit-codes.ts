/** The exit codes of `hermes`; `hermes exec` passes on the command's own code instead. */

/** By what they mean. */
export const exitCodes = {
	ok: 0,
	/** What was asked for did not succeed. */
	failure: 1,
	/** The command line itself is wrong. */
	usage: 2,
	/** A one-shot run needed consent that nobody could give. */
	denied: 3,
	interrupted: 130,
	/** Whoever read our output went away: 128 + SIGPIPE. */
	outputClosed: 141,
} as const;

/** The codes as the help text shows them. */
export const exitCodesHelp = [
	"Exit codes:",
	"  0    ok",
	"  1    failure",
	"  2    wrong usage",
	"  3    a call was denied for want of approval in a one-shot run (see --yolo)",
	"  130  interrupted",
	"  exec exits with the code of its command, 124 when it timed out",
].join("\n");

/** The command line cannot be understood: one line, exit code 2. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}

/** Something the user can mend is missing or wrong: one line (or the given advice), exit code 1. */
export class CommandFailed extends Error {
	override readonly name = "CommandFailed";
}
