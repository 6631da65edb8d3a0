/** Commands that run program texts: given inline, piped in, downloaded, or not to be known at all. */

import { unknownMark } from "../shell/fields.ts";
import { runsStandardInput, scriptInside } from "../shell/programs-inside.ts";
import type { Sight, Source } from "../shell/sight.ts";
import type { Danger } from "./categories.ts";

const shells = /^(?:ba|da|z|k|mk|a|fi|c|tc|rba|pw)?sh$/;
const interpreters: readonly (readonly [name: RegExp, inline: RegExp])[] = [
	[/^(?:python[\d.]*|pypy[\d.]*)$/, /^-[a-zA-Z]*c/],
	[/^perl[\d.]*$/, /^-[a-zA-Z0-9]*[eE]/],
	[/^ruby[\d.]*$/, /^-[a-zA-Z]*e/],
	[/^(?:node|nodejs|bun)$/, /^(?:-[a-z]*[ep]|--eval|--print)(?:=|$)/],
	[/^php[\d.]*$/, /^-[rBRE]$|^--run/],
	[/^lua(?:jit)?[\d.]*$/, /^-e/],
	[/^osascript$/, /^-e$/],
	[/^rscript$/, /^-e$/],
	[/^deno$/, /^eval$/],
	[/^tclsh[\d.]*$/, /^$/],
];

/** How their names begin. */
const mayInterpret = /^(?:py|perl|ruby|node|bun|php|lua|osa|rsc|deno|tcl)/;

/** Options of interpreters whose value is the next field. */
const valued = /^-(?:W|X|r|I|C|-require|-import|-loader)$/;

/** Text that `perl -ne` and `awk` may hold while they only edit lines. */
const runsPrograms = /\bsystem\b|\bexec\b|`|\bqx\b|\beval\b|\bunlink\b|\brmtree\b|\|\s{0,8}"|\bgetline\b/;

/** `/bin/r?` is whatever it matches. */
const globbed = /[*?]|\[[^\]]+\]/;

/** The dangers of a program that runs texts. */
export function codeDangers(sight: Sight): Danger[] {
	const { program } = sight;
	if (program.name === "" && program.script === undefined) return [];
	if (program.name.includes(unknownMark) || globbed.test(program.name)) return [{ category: "unknown-program" }];
	if (shells.test(program.name) || program.name === "source" || program.name === ".") return shellDangers(sight);
	if (program.name === "eval") return evalDangers(sight);
	if (/^(?:g|m|n)?awk$/.test(program.name)) {
		const isRunning = program.args.some((arg) => /\bsystem\s{0,8}\(|\|\s{0,8}(?:"|getline)/.test(arg));
		return isRunning ? [{ category: "inline-code" }] : [];
	}
	return interpreterDangers(sight);
}

function shellDangers(sight: Sight): Danger[] {
	const { program, substituted } = sight;
	const isSource = program.name === "source" || program.name === ".";
	const inside = isSource ? undefined : scriptInside(program);
	if (inside !== undefined) return [{ category: "inline-shell" }, ...downloaded(substituted)];
	const fromSubstitution = substituted.size > 0 && program.args.some((arg) => arg.includes(unknownMark));
	if (fromSubstitution) return [{ category: "piped-code" }, ...downloaded(substituted)];
	const takesWords = program.readsArguments && !isSource;
	return runsStandardInput(program) || takesWords ? fedDangers(sight) : [];
}

function evalDangers({ program, substituted }: Sight): Danger[] {
	if (!program.args.some((arg) => arg.includes(unknownMark))) return [];
	const [first] = downloaded(substituted);
	return [{ category: "unknown-program" }, ...(first === undefined ? [] : [first])];
}

function interpreterDangers(sight: Sight): Danger[] {
	const { name, args } = sight.program;
	if (!mayInterpret.test(name)) return [];
	const found = interpreters.find(([pattern]) => pattern.test(name));
	if (found === undefined) return [];
	const [, inline] = found;
	const ownOptions = args.slice(0, firstOperand(args));
	if (name === "deno" && args[0] === "eval") return [{ category: "inline-code" }];
	if (ownOptions.some((arg) => inline.test(arg))) return inlineDangers(sight, inline);
	const takesInput = args.every((arg) => arg.startsWith("-")) && !args.some((arg) => isSettled(name, arg));
	return takesInput || args[0] === "-" || args[0] === "/dev/stdin" ? fedDangers(sight) : substitutedFile(sight);
}

/** `perl -pe 's/a/b/'` edits lines; a program of its own is something else. */
function inlineDangers({ program: { name, args }, substituted }: Sight, inline: RegExp): Danger[] {
	const editsLines =
		/^(?:perl|ruby)/.test(name) && args.some((arg) => inline.test(arg) && /^-[a-z0-9]*[pn]/i.test(arg));
	if (editsLines && !args.some((arg) => runsPrograms.test(arg))) return [];
	return [{ category: "inline-code" }, ...downloaded(substituted)];
}

/** `python3 <(curl …)`. */
function substitutedFile({ program: { args }, substituted }: Sight): Danger[] {
	return args[0]?.includes(unknownMark) === true ? downloaded(substituted) : [];
}

/** Options that say what to run, or that run nothing. */
function isSettled(name: string, arg: string): boolean {
	return /^(?:-V|-v|--version|-h|--help)$/.test(arg) || (/^py/.test(name) && /^-[a-zA-Z]*m/.test(arg));
}

/** Where the options of the interpreter itself end. */
function firstOperand(args: readonly string[]): number {
	const at = args.findIndex((arg, index) => !arg.startsWith("-") && !valued.test(args[index - 1] ?? ""));
	return at < 0 ? args.length : at;
}

function fedDangers({ input, piped, substituted, program, redirections }: Sight): Danger[] {
	// `bash < <(curl …)`, unlike `bash < file`, runs what another command prints.
	const isFile = redirections.some(({ operator, target }) => operator === "<" && target.includes(unknownMark));
	if (input === undefined && piped.size === 0 && !program.readsArguments && !isFile) return [];
	const sources = new Set([...piped, ...substituted]);
	return [{ category: "piped-code" }, ...downloaded(sources)];
}

function downloaded(sources: ReadonlySet<Source>): Danger[] {
	return sources.has("download") || sources.has("decoder") ? [{ category: "downloaded-code" }] : [];
}
