/** What later commands of a script can know after one has run: variables, aliases and the folder. */

import { homeMark, type Knowledge, longestValue, unknownMark } from "./fields.ts";
import { assignmentsOf, type Program } from "./program.ts";
import { absoluteParts } from "./protected-paths.ts";

/** Where a script starts; unknown parts are left out. */
export interface StartingPoint {
	readonly cwd?: string;
	readonly home?: string;
	readonly hermesHome?: string;
}

/** What is known before the first command. */
export function knowledgeAt({ cwd, hermesHome }: StartingPoint): Knowledge {
	const variables = new Map([["HERMES_HOME", hermesHome ?? `${homeMark}/.hermes`]]);
	return { variables, choices: new Map(), cwd, named: new Map() };
}

/** What a subshell starts with; what it changes ends with it. */
export function copyOf(knowledge: Knowledge): Knowledge {
	return {
		variables: new Map(knowledge.variables),
		choices: new Map(knowledge.choices),
		cwd: knowledge.cwd,
		named: knowledge.named ?? new Map(),
	};
}

/** Notes what `program` with its `fields` and its standard input, as far as that is known, leaves behind. */
export function learn(
	program: Program,
	{ fields, input }: { readonly fields: readonly string[]; readonly input: string | undefined },
	knowledge: Knowledge,
): void {
	for (const [name, value] of assignmentsOf(fields)) remember(name, value, knowledge);
	if (fields[0] === "for" && fields[2] === "in") rememberChoices(fields[1] ?? "", fields.slice(3), knowledge);
	if (program.name === "set") learnSet(program.args, knowledge);
	if (program.name === "read" || program.name === "mapfile" || program.name === "readarray") {
		learnRead(program.args, input, knowledge);
	}
	if (program.name === "alias") learnAliases(program.args, knowledge);
	if (program.name === "cd" || program.name === "pushd") {
		const target = program.args.find((arg) => !/^-./.test(arg)) ?? homeMark;
		knowledge.cwd = target === "-" ? undefined : folderFrom(target, knowledge.cwd);
	}
	if (program.name === "popd") knowledge.cwd = undefined;
}

/** `path` as a folder; undefined when it cannot be known. */
export function folderFrom(path: string, cwd: string | undefined): string | undefined {
	const parts = absoluteParts(path, cwd);
	return parts === undefined ? undefined : `/${parts.join("/")}`;
}

/** `$0`, `$1` and so on; nothing changes when there are none. */
export function setPositional(values: readonly string[], knowledge: Knowledge): void {
	for (const [index, value] of values.entries()) remember(String(index), value, knowledge);
	const all = values.slice(1).join(" ");
	if (values.length > 0) for (const name of ["@", "*"]) remember(name, all, knowledge);
}

function learnSet(args: readonly string[], knowledge: Knowledge): void {
	const first = args.findIndex((arg) => arg === "--" || !/^[-+]/.test(arg));
	const values = args.slice(args[first] === "--" ? first + 1 : first);
	if (first >= 0) setPositional(["", ...values], knowledge);
}

/** Every variable may get any of the input: which word goes where depends on how many there are. */
function learnRead(args: readonly string[], input: string | undefined, knowledge: Knowledge): void {
	const words = (input ?? unknownMark).split(/\s+/).filter((word) => word !== "");
	const names = args.filter((arg) => /^[A-Za-z_]\w*$/.test(arg));
	for (const name of names.length === 0 ? ["REPLY"] : names.slice(0, mostNames)) {
		rememberChoices(name, words.slice(0, mostWords), knowledge);
	}
}

const mostNames = 8;
const mostWords = 32;
const mostAliases = 64;

function learnAliases(args: readonly string[], { named }: Knowledge): void {
	for (const arg of args) {
		const equals = arg.indexOf("=");
		if (equals > 0 && named !== undefined && named.size < mostAliases) {
			named.set(arg.slice(0, equals), arg.slice(equals + 1));
		}
	}
}

function rememberChoices(name: string, values: readonly string[], knowledge: Knowledge): void {
	remember(name, values.join(" "), knowledge);
	if (values.length > 1) knowledge.choices.set(name, values.map(withHome));
}

function withHome(value: string): string {
	return value.replace(/^~(?=\/|$)/, homeMark);
}

function remember(name: string, value: string, knowledge: Knowledge): void {
	const expanded = withHome(value);
	knowledge.choices.delete(name);
	knowledge.variables.set(name, expanded.length > longestValue ? unknownMark : expanded);
}
