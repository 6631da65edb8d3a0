/** Flags that stand between the name of a server and its command, as users of other clients write them. */

import { UsageError } from "../exit-codes.ts";

/** What was found. */
export interface FlagsBehind {
	/** In order; a flag that stands alone is `true`. */
	readonly flags: readonly (readonly [name: string, value: string | true])[];
	/** The command and its words, whose flags are its own. */
	readonly rest: readonly string[];
}

/**
 * Reads `--url URL` and `--url=URL` up to the first word that is no flag, or up to `--`. `alone` are those that take no value.
 * @throws {UsageError} When a value is missing.
 */
export function flagsBehindName(words: readonly string[], alone: readonly string[]): FlagsBehind {
	const flags: [string, string | true][] = [];
	for (let at = 0; at < words.length; ) {
		const word = words[at] ?? "";
		if (word === "--") return { flags, rest: words.slice(at + 1) };
		if (!word.startsWith("--")) return { flags, rest: words.slice(at) };
		const { flag, used } = readFlag(word.slice(2), words[at + 1], alone);
		flags.push(flag);
		at += used;
	}
	return { flags, rest: [] };
}

function readFlag(
	written: string,
	next: string | undefined,
	alone: readonly string[],
): { readonly flag: [string, string | true]; readonly used: number } {
	const [name = "", ...value] = written.split("=");
	if (value.length > 0) return { flag: [name, value.join("=")], used: 1 };
	if (alone.includes(name)) return { flag: [name, true], used: 1 };
	if (next === undefined) throw new UsageError(`Cannot use --${name} without a value`);
	return { flag: [name, next], used: 2 };
}
