/** Patterns in the dialect of ripgrep, rewritten for `grep -E`. */

const classes: Readonly<Record<string, string>> = { d: "0-9", w: "A-Za-z0-9_", s: " \t\r\f\v" };

/** `\d`, `\w`, `\s`, their opposites and `(?:` in words that every grep knows; everything else as it is. */
export function grepPattern(pattern: string): string {
	let inClass = false;
	let rewritten = "";
	for (let at = 0; at < pattern.length; at++) {
		const pair = pattern.slice(at, at + 2);
		const set = pair.startsWith("\\") ? classes[pair.slice(1).toLowerCase()] : undefined;
		if (set !== undefined) {
			rewritten += classText(set, pair === pair.toUpperCase(), inClass) ?? pair;
			at++;
		} else if (pair.startsWith("\\")) {
			rewritten += pair;
			at++;
		} else if (!inClass && pattern.startsWith("(?:", at)) {
			rewritten += "(";
			at += 2;
		} else {
			inClass = stillInClass(pattern, at, inClass);
			rewritten += pattern[at];
		}
	}
	return rewritten;
}

/** Undefined for the opposite of a class inside a class, which grep cannot say. */
function classText(set: string, isOpposite: boolean, inClass: boolean): string | undefined {
	if (inClass) return isOpposite ? undefined : set;
	return isOpposite ? `[^${set}]` : `[${set}]`;
}

function stillInClass(pattern: string, at: number, inClass: boolean): boolean {
	if (!inClass) return pattern[at] === "[";
	const before = pattern.slice(Math.max(at - 2, 0), at);
	// A bracket that closes right after the one that opens is a member.
	const isMember = before.endsWith("[") || before === "[^";
	return pattern[at] !== "]" || isMember;
}
