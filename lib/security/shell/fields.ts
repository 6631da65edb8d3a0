/** From words to the fields a program would get, as far as that is known without running anything. */

import { decodeAnsiQuoted } from "./ansi-quoted.ts";
import { changedValue } from "./changed-value.ts";
import type { Script, Word } from "./syntax.ts";

/** Stands for the user's home folder in a field. */
export const homeMark = "/\0home";
/** Stands for text that is not known before the command runs. */
export const unknownMark = "\uffff";
/** Stands for the user's name. */
export const userMark = "\0user";

/** What is known of the variables and of the folder at one point of a script. */
export interface Knowledge {
	readonly variables: Map<string, string>;
	/** Variables of loops, which take one of several values. */
	readonly choices: Map<string, readonly string[]>;
	cwd: string | undefined;
	/** Functions and aliases of the script. */
	readonly named?: Map<string, Script | string>;
}

const mostBraceFields = 64;
const longestBraces = 2_000;
/** Characters of a variable that are followed; doubling a variable again and again must not fill the memory. */
export const longestValue = 512;
// Quoted braces are literal; they are hidden while braces are expanded.
const hidden: Readonly<Record<string, string>> = { "{": "\ue000", ",": "\ue001", "}": "\ue002" };
const shownAgain: Readonly<Record<string, string>> = { "\ue000": "{", "\ue001": ",", "\ue002": "}" };

/** The fields of `word`: one, or several after brace expansion and splitting, or none when a variable is empty. */
export function expandWord(word: Word, knowledge: Knowledge): string[] {
	const [only] = word;
	// Most words are no more than this.
	if (word.length === 1 && only?.kind === "text" && (only.quoted || !/[{~\ue000-\ue002]/.test(only.text)))
		return [only.text];
	const fields = [""];
	let sawText = false;
	let length = 0;
	for (const [index, part] of word.entries()) {
		const text = length > longestValue ? plainTextOf(part) : textOf(part, knowledge);
		if (part.kind !== "text") length += text.length;
		sawText ||= text !== "" || isQuoted(part);
		const pieces =
			choicesOf(part, knowledge) ?? piecesOf(part, index === 0 ? expandTilde(part, text, knowledge) : text);
		appendPieces(fields, pieces);
	}
	if (!sawText) return [];
	const shown = fields.flatMap(expandBraces).map(showBraces);
	return shown.length === 1 ? shown : shown.filter((field) => field !== "");
}

function isQuoted(part: Word[number]): boolean {
	return part.kind !== "substitution" && part.quoted;
}

/** What is neither written out nor quoted is split at blanks; so is `"$@"`. */
function piecesOf(part: Word[number], text: string): string[] {
	const isList = part.kind === "variable" && part.name === "@";
	if (isQuoted(part) && !isList) return [hideBraces(text)];
	return part.kind === "text" ? [text] : text.split(/[ \t\n]+/);
}

/** One of several values is a field for each of them, as braces are. */
function choicesOf(part: Word[number], knowledge: Knowledge): string[] | undefined {
	if (part.kind !== "variable") return undefined;
	const choices = knowledge.choices.get(part.name)?.map((value) => changed(value, part, knowledge));
	return choices && [`{${choices.map(hideBraces).join(",")}}`];
}

function hideBraces(text: string): string {
	return text.replace(/[{},]/g, (char) => hidden[char] ?? char);
}

function showBraces(field: string): string {
	return field.replace(/[\ue000-\ue002]/g, (char) => shownAgain[char] ?? char);
}

/** The text of `word` as one string, without splitting. */
export function joinWord(word: Word, knowledge: Knowledge): string {
	return word.map((part) => textOf(part, knowledge)).join("");
}

function appendPieces(fields: string[], pieces: readonly string[]): void {
	fields.push((fields.pop() ?? "") + (pieces[0] ?? ""), ...pieces.slice(1));
}

function plainTextOf(part: Word[number]): string {
	return part.kind === "text" ? part.text : unknownMark;
}

function textOf(part: Word[number], knowledge: Knowledge): string {
	if (part.kind === "text") return part.text;
	if (part.kind === "variable") return variableText(part, knowledge);
	return (part.isFile ? undefined : literalOutput(part, knowledge)) ?? unknownMark;
}

type Variable = Extract<Word[number], { kind: "variable" }>;

function variableText(part: Variable, knowledge: Knowledge): string {
	const known = knowledge.variables.get(part.name);
	const isSettled = known !== undefined && known !== "" && known !== unknownMark;
	if (isSettled) return changed(known, part, knowledge);
	if (part.name !== "HOME" && part.otherwise !== undefined) return alternativeText(part.otherwise, knowledge);
	if (known !== undefined) return known;
	if (part.name === "HOME") return homeMark;
	if (part.name === "PWD") return knowledge.cwd ?? unknownMark;
	if (part.name === "USER" || part.name === "LOGNAME") return userMark;
	return part.name === "IFS" ? " " : unknownMark;
}

/** A path that nobody can tell the change of may be the path itself; the name of a program may be any. */
function changed(value: string, { change = [] }: Variable, knowledge: Knowledge): string {
	if (change.length === 0) return value;
	const pattern = change.map((part) => {
		const text = textOf(part, knowledge);
		return isQuoted(part) ? text.replace(/[\\*?[(/&]/g, "\\$&") : text;
	});
	const isKnown = !pattern.some((text) => text.includes(unknownMark) || text.includes("\0"));
	const result = isKnown ? changedValue(value, pattern.join("")) : undefined;
	return result ?? (value.startsWith("/") ? value : unknownMark);
}

function alternativeText(word: Word, knowledge: Knowledge): string {
	return joinWord(word, knowledge).replace(/^~(?=\/|$)/, homeMark);
}

/** What the commands inside print, when that is plain to see: `$(echo rm)` is as good as `rm`. */
export function literalOutput(
	{ script }: Extract<Word[number], { kind: "substitution" }>,
	knowledge: Knowledge,
): string | undefined {
	const [only, ...others] = script;
	if (only?.kind !== "command" || others.length > 0) return undefined;
	return literalArguments(only.words.flatMap((word) => expandWord(word, knowledge)));
}

/** What `echo` or `printf` with these fields would print, roughly; undefined for any other program. */
export function literalArguments(fields: readonly string[]): string | undefined {
	const [name, ...args] = fields;
	if (name !== "echo" && name !== "printf") return undefined;
	const texts = args.filter((arg) => !/^-[neE]+$/.test(arg) && arg !== "--");
	const [format = "", ...values] = texts;
	return decodeAnsiQuoted(name === "printf" ? formatted(format, values) : texts.join(" "));
}

/** The format is used again for values that are left. */
function formatted(format: string, values: readonly string[]): string {
	const pieces = format.split(/%[sbdq]/);
	if (pieces.length === 1) return format;
	let text = "";
	let at = 0;
	do {
		for (const [index, piece] of pieces.entries()) text += (index === 0 ? "" : (values[at++] ?? "")) + piece;
	} while (at < values.length);
	return text;
}

function expandTilde(part: Word[number], text: string, knowledge: Knowledge): string {
	const prefix = part.kind === "text" && !part.quoted ? /^(~[^/]*)(?=\/|$)/.exec(text)?.[1] : undefined;
	if (prefix === undefined) return text;
	const rest = text.slice(prefix.length);
	if (prefix === "~+") return (knowledge.cwd ?? unknownMark) + rest;
	if (prefix === "~-") return unknownMark + rest;
	return (prefix === "~root" ? "/root" : homeMark) + rest;
}

/** `a{b,c}` to `ab` and `ac`, innermost braces first; more than 64 results are not followed. */
function expandBraces(field: string): string[] {
	let fields = [field];
	if (!field.includes("{")) return fields;
	for (let round = 0; round < 8 && fields.length < mostBraceFields; round++) {
		const next = fields.flatMap(expandInnermost);
		if (next.length === fields.length && next.every((value, index) => value === fields[index])) break;
		fields = next;
	}
	return fields;
}

function expandInnermost(field: string): string[] {
	let open = -1;
	for (let index = 0; index < field.length; index++) {
		if (field[index] === "{") open = index;
		if (field[index] !== "}" || open < 0) continue;
		const choices = field.slice(open + 1, index).split(",");
		if (choices.length > 1 && field.length < longestBraces) {
			const before = field.slice(0, open);
			return choices.slice(0, mostBraceFields).map((choice) => before + choice + field.slice(index + 1));
		}
		open = -1;
	}
	return [field];
}
