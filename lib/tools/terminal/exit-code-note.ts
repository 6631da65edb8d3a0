/** What a non-zero exit code of a well-known program means, so that it is not taken for a failure. */

import { expandWord } from "../../security/shell/fields.ts";
import { lexScript } from "../../security/shell/lexer.ts";
import { programOf } from "../../security/shell/program.ts";
import { NestedTooDeep, type SimpleCommand } from "../../security/shell/syntax.ts";

const noMatch = { 1: "No matches were found; this is not an error" };
const differ = { 1: "The files differ; this is not an error" };
const isFalse = { 1: "The condition is false; this is not an error" };

const notes: Readonly<Record<string, Readonly<Record<number, string>>>> = {
	grep: noMatch,
	egrep: noMatch,
	fgrep: noMatch,
	rg: noMatch,
	ag: noMatch,
	ack: noMatch,
	diff: differ,
	colordiff: differ,
	cmp: differ,
	find: { 1: "Some folders could not be read; the results from the others are complete" },
	test: isFalse,
	"[": isFalse,
	curl: {
		6: "The host name could not be resolved",
		7: "The connection was refused or the host cannot be reached",
		22: "The server answered with an HTTP error",
		28: "The request timed out",
	},
	"git diff": { 1: "There are differences; this is not an error" },
	"git grep": noMatch,
};

/** A longer command is a script; its last program says little about it. */
const longestCommand = 8_000;

/** The note for `exitCode` of `command`, by the last program of its last pipeline; undefined when there is none. */
export function exitCodeNote(command: string, exitCode: number): string | undefined {
	if (exitCode === 0 || command.length > longestCommand) return undefined;
	const last = lastCommand(command);
	if (last === undefined) return undefined;
	const knowledge = { variables: new Map<string, string>(), choices: new Map(), cwd: undefined };
	const { name, args } = programOf(last.words.flatMap((word) => expandWord(word, knowledge)));
	const key = name === "git" ? `git ${args.find((arg) => !arg.startsWith("-")) ?? ""}` : name;
	return Object.hasOwn(notes, key) ? notes[key]?.[exitCode] : undefined;
}

function lastCommand(command: string): SimpleCommand | undefined {
	try {
		const last = lexScript(command).findLast((item) => item.kind !== "operator" || !/^[;\n]$/.test(item.text));
		return last?.kind === "command" ? last : undefined;
	} catch (cause) {
		if (cause instanceof NestedTooDeep) return undefined;
		throw cause;
	}
}
