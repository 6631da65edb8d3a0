/** The command line of `hermes-agent` in the words of `hermes`. */

/** Puts the subcommand first, and writes flags as the Python program had them (`--max_turns=3`) with hyphens. */
export function agentRunArguments(args: readonly string[]): string[] {
	const end = args.indexOf("--");
	const flagsEnd = end < 0 ? args.length : end;
	return ["agent-run", ...args.map((arg, index) => (index < flagsEnd ? withHyphens(arg) : arg))];
}

function withHyphens(arg: string): string {
	return arg.replace(/^--[a-z]+(_[a-z]+)+(?==|$)/, (flag) => flag.replaceAll("_", "-"));
}
