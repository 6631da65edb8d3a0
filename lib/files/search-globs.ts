/** File name patterns of a search, in the form that find and ripgrep both understand. */

const mostGlobs = 50;

/** `*.{ts,tsx}` as `*.ts` and `*.tsx`; a reason when it is no pattern. */
export function globsOf(glob: string): { readonly globs: readonly string[] } | { readonly reason: string } {
	if (count(glob, "[") !== count(glob, "]")) return { reason: "a [ has no ]" };
	if (count(glob, "{") !== count(glob, "}")) return { reason: "a { has no }" };
	if (/(?:^|[^\\])(?:\\\\)*\\$/.test(glob)) return { reason: "nothing follows the \\ at its end" };
	if (glob.startsWith("!")) return { reason: "a pattern that excludes is not supported" };
	const globs = expand(glob.replace(/^\.?\//, ""));
	return globs.length > mostGlobs ? { reason: `it stands for more than ${mostGlobs} patterns` } : { globs };
}

/** A pattern for file names: a plain word is looked for anywhere in the name. */
export function nameGlob(pattern: string): string {
	return /[*?[{]/.test(pattern) ? pattern : `*${pattern.replaceAll("\\", "\\\\")}*`;
}

/** Whether `path`, relative to the searched folder, fits one of `globs`; one without a slash looks at the name alone. */
export function fitsGlobs(path: string, globs: readonly string[]): boolean {
	const name = path.split("/").at(-1) ?? "";
	return globs.length === 0 || globs.some((glob) => new Bun.Glob(glob).match(glob.includes("/") ? path : name));
}

function expand(glob: string): string[] {
	const match = /\{([^{}]*)\}/.exec(glob);
	if (match?.[1] === undefined) return [glob];
	const [before, after] = [glob.slice(0, match.index), glob.slice(match.index + match[0].length)];
	const choices = match[1].split(",").slice(0, mostGlobs + 1);
	return choices.flatMap((choice) => expand(before + choice + after).slice(0, mostGlobs + 1));
}

function count(text: string, char: string): number {
	return text.split(char).length - 1;
}
