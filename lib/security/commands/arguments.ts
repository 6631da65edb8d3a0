/** How programs read their arguments, as far as rules need it. */

/** The options of `args`: what begins with a dash, up to `--`. */
export function optionsOf(args: readonly string[]): string[] {
	return beforeEnd(args).filter((arg) => arg.startsWith("-") && arg !== "-");
}

/** What is no option; after `--` everything. */
export function operandsOf(args: readonly string[]): string[] {
	const before = beforeEnd(args);
	const operands = before.filter((arg) => !arg.startsWith("-") || arg === "-");
	return [...operands, ...args.slice(before.length + 1)];
}

/** One of `letters` stands in a cluster of short options, or one of `long` is there, shortened or not. */
export function hasOption(args: readonly string[], letters: string, long: readonly string[] = []): boolean {
	return optionsOf(args).some((option) => {
		if (!option.startsWith("--")) return [...letters].some((letter) => option.includes(letter));
		const name = option.split("=", 1)[0] ?? "";
		return name.length > 3 && long.some((wanted) => `--${wanted}`.startsWith(name));
	});
}

/** The value of an option, in the next argument or glued on. */
export function optionValue(args: readonly string[], short: string, long: string): string | undefined {
	for (const [index, arg] of args.entries()) {
		if (arg === `-${short}` || arg === `--${long}`) return args[index + 1];
		if (arg.startsWith(`--${long}=`)) return arg.slice(long.length + 3);
		if (arg.startsWith(`-${short}`) && !arg.startsWith("--") && arg.length > 2) return arg.slice(2);
	}
	return undefined;
}

function beforeEnd(args: readonly string[]): readonly string[] {
	const end = args.indexOf("--");
	return end < 0 ? args : args.slice(0, end);
}
