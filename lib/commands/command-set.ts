/** The commands of one surface: which one a line means, and what may be typed. */

import { nearestName } from "../base/nearest-name.ts";
import type { Command, Surface } from "./command.ts";

/** What a line that begins with a slash means. */
export type Resolved =
	| { readonly kind: "command"; readonly command: Command; readonly argument: string }
	/** The word is the beginning of several names. */
	| { readonly kind: "ambiguous"; readonly word: string; readonly names: readonly string[] }
	| { readonly kind: "unknown"; readonly word: string; readonly near: string };

/** The commands of one surface. */
export interface CommandSet {
	/** In the order of their names. */
	readonly list: readonly Command[];
	/** By name or alias, without the slash. */
	find(word: string): Command | undefined;
	/**
	 * What `line` means; undefined when it is for the model. A lone word with one slash is a command even when nobody knows it;
	 * a path, and a sentence that begins with an unknown word, are for the model (#5057).
	 */
	resolve(line: string): Resolved | undefined;
}

/** The commands among `all` that claim `surface`. */
export function commandsOf(all: Iterable<Command>, surface: Surface): CommandSet {
	const list = [...all]
		.filter((command) => command.surfaces.includes(surface))
		.sort((left, right) => left.name.localeCompare(right.name, "en"));
	const byWord = new Map(list.flatMap((command) => wordsOf(command).map((word) => [word, command] as const)));
	const find = (word: string) => byWord.get(canonical(word));
	return {
		list,
		find,
		resolve(line) {
			const { word, argument } = commandWords(line) ?? {};
			if (word === undefined || argument === undefined) return undefined;
			const named = find(word);
			if (named !== undefined) return { kind: "command", command: named, argument };
			const begun = list.filter(({ name }) => name.startsWith(canonical(word)));
			const [only] = begun;
			if (only !== undefined && begun.length === 1 && fits(only, argument))
				return { kind: "command", command: only, argument };
			// A sentence: the model may know what is meant.
			if (argument !== "") return undefined;
			if (begun.length > 1) return { kind: "ambiguous", word, names: begun.map(({ name }) => name) };
			return { kind: "unknown", word, near: nearestName(canonical(word), byWord.keys()) ?? "help" };
		},
	};
}

/** Names and aliases that two of `commands` have; each as one line. A list is right when there is none. */
export function nameConflicts(commands: Iterable<Command>): readonly string[] {
	const owners = new Map<string, string>();
	const conflicts: string[] = [];
	for (const command of commands) {
		for (const word of wordsOf(command)) {
			const owner = owners.get(word);
			if (owner !== undefined) conflicts.push(`/${word} is both ${owner} and ${command.name}`);
			owners.set(word, command.name);
		}
	}
	return conflicts;
}

/** `/model [NAME]`, as help shows it. */
export function commandForm({ name, argumentsHint }: Pick<Command, "name" | "argumentsHint">): string {
	return argumentsHint === undefined ? `/${name}` : `/${name} ${argumentsHint}`;
}

/** A guessed command must be able to take what stands behind it: `/use this` is no `/usage`. */
function fits({ argumentsHint }: Command, argument: string): boolean {
	return argument === "" || argumentsHint !== undefined;
}

function wordsOf({ name, aliases = [] }: Command): readonly string[] {
	return [name, ...aliases].map(canonical);
}

/** Case does not count, menus of platforms have `_` for `-`, and groups add the name of the bot. */
function canonical(word: string): string {
	return word
		.replace(/@[\w.-]*$/, "")
		.toLowerCase()
		.replaceAll("_", "-");
}

/** The word behind the slash and the rest; undefined for anything else, such as `/etc/hosts`. */
function commandWords(line: string): { readonly word: string; readonly argument: string } | undefined {
	const found = /^\/([A-Za-z][\w-]*(?:@[\w.-]*)?)(?:\s+([\s\S]*))?$/.exec(line.trim());
	if (found === null) return undefined;
	return { word: found[1] ?? "", argument: (found[2] ?? "").trim() };
}
