/** Gives a program on another machine, or in a container, the variables of its session by way of a file. */

import { quoteWord } from "../base/shell-quoting.ts";
import { callMark, runMark } from "./call-marks.ts";

/** Names that a shell can hold; others (`a.b`) cannot be set by one. */
const shellName = /^[A-Za-z_]\w*$/;

/** Kept by every shell itself, and the marks of the call. */
const kept: ReadonlySet<string> = new Set(["PWD", runMark, callMark]);

/**
 * Shell text that makes `env` the whole environment. One without PATH is no whole environment: it is added to what a login
 * gives, since a remote program can do nothing without it.
 */
export function environmentText(env: Readonly<Record<string, string>>, inherited: readonly string[]): string {
	const entries = Object.entries(env).filter(([name]) => shellName.test(name));
	if (entries.length === 0) return "";
	const brought = env.PATH === undefined ? [] : inherited.filter((name) => !kept.has(name));
	const foreign = ["OLDPWD", ...brought].filter((name) => !(name in env));
	const removal = foreign.length === 0 ? "" : `unset ${foreign.join(" ")}\n`;
	return removal + entries.map(([name, value]) => `export ${name}=${quoteWord(value)}\n`).join("");
}

/** Names in the output of `export -p` of a POSIX shell. A value may look like a line of it; a name too many does no harm. */
export function exportedNames(text: string): string[] {
	const names = text.matchAll(/^(?:export|declare -\w+|typeset -\w+) ([A-Za-z_]\w*)/gm);
	return [...new Set([...names].map(([, name = ""]) => name))];
}
