/** Functions that a script defines: where they begin, what a call of them runs, and whether they multiply. */

import type { Knowledge } from "./fields.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Script, ScriptItem, SimpleCommand, Word } from "./syntax.ts";

/** A definition in a script. */
export interface FunctionDefinition {
	readonly name: string;
	/** `function f {`: the body begins in the same item. */
	readonly opensHere: boolean;
	/** What a call runs; looked for only when it is wanted. */
	body(): Script;
}

const mostFunctions = 64;

/** The function whose definition begins with the item at `index`: `f() { … }` or `function f { … }`. */
export function functionAt(script: Script, index: number): FunctionDefinition | undefined {
	const item = script[index];
	if (item?.kind !== "command") return undefined;
	const isCall = script[index + 1]?.kind === "open" && script[index + 2]?.kind === "close";
	if (!isCall && item.words.length < 2) return undefined;
	const [first, second, third] = item.words.slice(0, 3).map(plainText);
	const isKeyword = first === "function" && second !== undefined;
	const name = isKeyword ? second : first;
	if ((!isCall && !isKeyword) || name === undefined) return undefined;
	const begin = isCall ? index + 3 : index;
	return {
		name: name.toLowerCase(),
		opensHere: !isCall && third === "{",
		body: () => withoutName(script.slice(begin, groupEnd(script, begin)), !isCall),
	};
}

/** Keeps the first definition of each name, and no more than anybody writes in one command. */
export function rememberFunction({ name, body }: FunctionDefinition, { named }: Knowledge): void {
	if (named !== undefined && named.size < mostFunctions && !named.has(name)) named.set(name, body());
}

/** The command at `index` is piped into another one of its name, inside the function of that name. */
export function isPipedToItself(script: Script, index: number, pipeline: Pipeline): boolean {
	const [item, operator, next] = [script[index], script[index + 1], script[index + 2]];
	if (item?.kind !== "command" || next?.kind !== "command") return false;
	if (operator?.kind !== "operator" || !/^\|&?$/.test(operator.text)) return false;
	const name = nameOf(next);
	return name !== undefined && nameOf(item) === name && pipeline.isWithin(name);
}

function nameOf({ words }: SimpleCommand): string | undefined {
	const names = words.map(plainText).filter((word) => word !== "{");
	return names[0] === "function" ? names[2]?.toLowerCase() : names[0]?.toLowerCase();
}

/** Without `function f`, which would be taken for a definition again. */
function withoutName(body: Script, isNamed: boolean): Script {
	const [first, ...rest] = body;
	return isNamed && first?.kind === "command" ? [{ ...first, words: first.words.slice(2) }, ...rest] : body;
}

function plainText(word: Word): string | undefined {
	const [only, ...others] = word;
	return only?.kind === "text" && others.length === 0 ? only.text : undefined;
}

/** Items of a function's body that are looked at. */
const longestBody = 2_000;

/** The index behind the `}` or `)` of the group that begins at `begin`; without one, behind the first command. */
function groupEnd(script: Script, begin: number): number {
	let open = 0;
	const last = Math.min(script.length, begin + longestBody);
	for (let index = begin; index < last; index++) {
		open += step(script[index]);
		if (open <= 0 && script[index]?.kind !== "operator") return index + 1;
	}
	return last;
}

function step(item: ScriptItem | undefined): number {
	if (item?.kind === "open") return 1;
	if (item?.kind === "close") return -1;
	if (item?.kind !== "command") return 0;
	const first = item.words[0]?.[0];
	const text = first?.kind === "text" && !first.quoted ? first.text : "";
	const opens = text === "{" || (text === "function" && isBrace(item.words[2]?.[0]));
	if (opens) return 1;
	return text === "}" ? -1 : 0;
}

function isBrace(part: unknown): boolean {
	return typeof part === "object" && part !== null && "text" in part && part.text === "{";
}
