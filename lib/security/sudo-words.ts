/** Where a command line runs sudo, as its shell reads it: what is quoted, searched for or written into a file is no sudo. */

import { expandWord, type Knowledge } from "./shell/fields.ts";
import { lexScript } from "./shell/lexer.ts";
import { programOf } from "./shell/program.ts";
import { findCommands, scriptInside } from "./shell/programs-inside.ts";
import { NestedTooDeep, type Script, type SimpleCommand, type Word } from "./shell/syntax.ts";

/** A place in a command line. */
export interface SudoWord {
	readonly start: number;
	readonly end: number;
}

const longestCommand = 64 * 1024;
/** One lexing for each; nobody writes more by hand. */
const mostWords = 40;
const deepest = 8;
/** Stands in the place of a word to see what it is read as. */
const probe = "hermes-sudo-probe";
const candidate = /(?<![\w./-])(?:\/(?:usr\/(?:local\/)?)?bin\/)?sudo(?![\w./-])/g;
/** Letters of short options whose value is the rest of the word, or the next one. */
const valued = "ughpCRrtTUDc";

/**
 * The words of `command` that run sudo and leave it to sudo how a password is asked for. None of a command that cannot be read.
 */
export function sudoWords(command: string): readonly SudoWord[] {
	if (!command.includes("sudo") || command.length > longestCommand) return [];
	const found = [...command.matchAll(candidate)].slice(0, mostWords);
	return found.flatMap(({ index, 0: text }) => {
		const options = optionsAt(command, { start: index, end: index + text.length });
		if (options === undefined || asksOtherwise(options)) return [];
		return [{ start: index, end: index + text.length }];
	});
}

/**
 * `command` gives sudo a password by itself: a guess, unless the user has set one. Scripts in its words count too.
 * A command that cannot be read does not.
 */
export function pipesSudoPassword(command: string): boolean {
	// Quotes and backslashes inside of a word change nothing.
	if (command.length > longestCommand || !command.replace(/["'\\\n]/g, "").includes("sudo")) return false;
	return unlessTooDeep(false, () => pipesIn(lexScript(command), 0));
}

/** The options that a sudo at `word` would get; undefined when it is none. */
function optionsAt(command: string, { start, end }: SudoWord): readonly string[] | undefined {
	const probed = command.slice(0, start) + probe + command.slice(end);
	return unlessTooDeep(undefined, () => {
		for (const fields of commandsIn(lexScript(probed))) {
			const at = fields.indexOf(probe);
			if (at >= 0 && programOf(fields).name === probe) return leadingOptions(fields.slice(at + 1));
		}
		return undefined;
	});
}

/** The fields of each simple command, also of those inside of substitutions. */
function* commandsIn(script: Script): Generator<readonly string[]> {
	for (const item of script) {
		if (item.kind !== "command") continue;
		yield fieldsOf(item);
		for (const part of partsOf(item)) if (part.kind === "substitution") yield* commandsIn(part.script);
	}
}

function partsOf({ words, redirections }: SimpleCommand): Word {
	return [
		...words,
		...redirections.flatMap(({ target, body }) => (body === undefined ? [target] : [target, body])),
	].flat();
}

function fieldsOf({ words }: SimpleCommand): string[] {
	const knowledge: Knowledge = { variables: new Map(), choices: new Map(), cwd: undefined };
	return words.flatMap((word) => expandWord(word, knowledge));
}

function pipesIn(script: Script, depth: number): boolean {
	if (depth > deepest) return false;
	for (const fields of commandsIn(script)) if (pipesHere(fields, depth)) return true;
	return false;
}

function pipesHere(fields: readonly string[], depth: number): boolean {
	const at = fields.findIndex((field, index) => {
		return /(?:^|\/)sudo$/.test(field) && programOf([...fields.slice(0, index), probe]).name === probe;
	});
	if (at >= 0 && leadingOptions(fields.slice(at + 1)).some((option) => hasOption(option, "S", "--stdin"))) return true;
	const program = programOf(fields);
	const inside = scriptInside(program);
	const found = program.name === "find" ? findCommands(program.args) : [];
	return (
		(inside !== undefined && pipesIn(lexScript(inside), depth + 1)) || found.some((one) => pipesHere(one, depth + 1))
	);
}

/** Up to the program that sudo runs. */
function leadingOptions(args: readonly string[]): readonly string[] {
	const options: string[] = [];
	for (let at = 0; at < args.length; at++) {
		const arg = args[at] ?? "";
		if (arg === "--" || !/^-./.test(arg)) break;
		options.push(arg);
		if (takesNext(arg)) at++;
	}
	return options;
}

function takesNext(option: string): boolean {
	if (option.startsWith("--"))
		return /^--(?:user|group|host|prompt|chdir|chroot|role|type|close-from|other-user|command-timeout)$/.test(option);
	return [...option.slice(1)].findIndex((letter) => valued.includes(letter)) === option.length - 2;
}

/** Asked on standard input, by a program of its own, or not at all. */
function asksOtherwise(options: readonly string[]): boolean {
	return options.some(
		(option) =>
			hasOption(option, "S", "--stdin") ||
			hasOption(option, "A", "--askpass") ||
			hasOption(option, "n", "--non-interactive"),
	);
}

function hasOption(option: string, letter: string, long: string): boolean {
	// Long options may be shortened as far as they stay clear.
	if (option.startsWith("--")) return option.length > 4 && long.startsWith(option);
	for (const char of option.slice(1)) {
		if (char === letter) return true;
		if (valued.includes(char)) return false;
	}
	return false;
}

function unlessTooDeep<T>(otherwise: T, read: () => T): T {
	try {
		return read();
	} catch (cause) {
		if (cause instanceof NestedTooDeep) return otherwise;
		throw cause;
	}
}
