/** Completion scripts for bash, zsh and fish, written from the places of the command line. */

import { quoteWord, quoteWords } from "../../base/shell-quoting.ts";
import type { CompletableFlag, Place } from "./completable.ts";
import type { Offered } from "./words.ts";

/** A script for bash 3.2 and later; needs no bash-completion package. */
export function bashScript(places: readonly Place[]): string {
	const words = places.map(({ path, children, flags }) => {
		const known = [...children.map(({ name }) => name), ...flags.flatMap(namesOf)];
		return `\t\t${pattern(path)}) words=${quoteWords([known.join(" ")])} ;;`;
	});
	const operands = operandCases(places, (values) => `words=${shellText(values)}" $words"`);
	return `# bash completion of hermes: source <(hermes completion bash)
_hermes() {
	local cur="\${COMP_WORDS[COMP_CWORD]}" place="" flag="" words="" operands=0 index
	for ((index = 1; index < COMP_CWORD; index++)); do
		_hermes_step "\${COMP_WORDS[index]}"
	done
	if [ -n "$flag" ]; then
		case "$place $flag" in
${valueCases(places, (values) => `words=${shellText(values)}`).join("\n")}
		esac
	else
		case "$place" in
${words.join("\n")}
		esac
		case "$operands $place" in
${operands.join("\n")}
		esac
	fi
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
_hermes_ask() {
	"\${COMP_WORDS[0]}" completion --words "$1" 2>/dev/null
}
_hermes_step() {
${stepBody(places)}
}
complete -o default -F _hermes hermes
`;
}

/** A script for zsh; it may stand in a folder of fpath as `_hermes`, or be sourced. */
export function zshScript(places: readonly Place[]): string {
	const cases = places.map(({ path, children, flags }) => {
		const known = [
			...children.map(({ name, about }) => described(name, about)),
			...flags.flatMap((flag) => namesOf(flag).map((name) => described(name, flag.about))),
		];
		return `\t\t${pattern(path)}) items=(${quoteWords(known)}) ;;`;
	});
	const operands = operandCases(places, (values) => `items=(${zshItems(values)} $items)`);
	return `#compdef hermes
# zsh completion of hermes: source <(hermes completion zsh)
_hermes() {
	local place="" flag="" operands=0 word
	local -a items
	for word in "\${(@)words[2,CURRENT-1]}"; do
		_hermes_step "$word"
	done
	if [[ -n "$flag" ]]; then
		case "$place $flag" in
${valueCases(places, (values) => `items=(${zshItems(values)})`).join("\n")}
		esac
	else
		case "$place" in
${cases.join("\n")}
		esac
		case "$operands $place" in
${operands.join("\n")}
		esac
	fi
	if (( \${#items} )); then
		_describe hermes items && return
	fi
	_files
}
_hermes_ask() {
	"\${words[1]}" completion --words "$1" 2>/dev/null
}
_hermes_step() {
${stepBody(places)}
}
compdef _hermes hermes
`;
}

/** A script for fish. */
export function fishScript(places: readonly Place[]): string {
	const lines = places.flatMap(({ path, children, flags, operands }) => {
		const here = `complete -c hermes -n ${fishText(`test (__hermes_place) = "hermes${path}"`)}`;
		const first = `complete -c hermes -n ${fishText(`test (__hermes_place operands) = "0 hermes${path}"`)}`;
		return [
			...(isOffered(operands) ? [`${first} -f -a ${fishWords(operands)}`] : []),
			...children.map(({ name, about }) => `${here} -f -a ${fishText(name)} -d ${fishText(about)}`),
			...flags.map((flag) => `${here} ${fishFlag(flag)} -d ${fishText(flag.about)}`),
		];
	});
	const children = places.filter(({ path }) => path !== "").map(({ path }) => fishText(`hermes${path}`));
	const valued = [
		...new Set(places.flatMap(({ flags }) => flags.filter(({ takesValue }) => takesValue).flatMap(namesOf))),
	];
	return `# fish completion of hermes: hermes completion fish | source
function __hermes_place
	set -l place hermes
	set -l skip 0
	set -l operands 0
	for word in (commandline -opc)[2..-1]
		if test $skip = 1
			set skip 0
		else if contains -- $word ${valued.join(" ")}
			set skip 1
		else if contains -- "$place/$word" ${children.join(" ")}
			set place "$place/$word"
		else if not string match -q -- '-*' $word
			set operands (math $operands + 1)
		end
	end
	if test "$argv[1]" = operands
		echo "$operands $place"
	else
		echo $place
	end
end
${lines.join("\n")}
`;
}

/** What one typed word does to the place we are in; bash and zsh read it alike. */
function stepBody(places: readonly Place[]): string {
	const valued = places.flatMap(({ path, flags }) =>
		flags
			.filter(({ takesValue }) => takesValue)
			.flatMap(namesOf)
			.map((name) => quoteWords([`${path} ${name}`])),
	);
	const deeper = places.filter(({ path }) => path !== "").map(({ path }) => path);
	return `	if [ -n "$flag" ]; then
		flag=""
		return
	fi
	case "$place $1" in
		${valued.join("|")}) flag="$1" ; return ;;
	esac
	case "$place/$1" in
		${deeper.join("|")}) place="$place/$1" ; return ;;
	esac
	case "$1" in
		-*) ;;
		*) operands=$((operands + 1)) ;;
	esac`;
}

/** What the first operand of each place may be. */
function operandCases(places: readonly Place[], assign: (values: Offered) => string): string[] {
	const cases = places
		.filter(({ operands }) => isOffered(operands))
		.map(({ path, operands }) => `\t\t\t${quoteWords([`0 ${path}`])}) ${assign(operands)} ;;`);
	return [...cases, "\t\t\t*) ;;"];
}

function valueCases(places: readonly Place[], assign: (values: Offered) => string): string[] {
	const cases = places.flatMap(({ path, flags }) =>
		flags
			.filter(({ values }) => isOffered(values))
			.map((flag) => {
				const patterns = namesOf(flag).map((name) => quoteWords([`${path} ${name}`]));
				return `\t\t\t${patterns.join("|")}) ${assign(flag.values)} ;;`;
			}),
	);
	return [...cases, "\t\t\t*) ;;"];
}

function isOffered(values: Offered): boolean {
	return "asks" in values || values.length > 0;
}

/** Words in one text, for bash. */
function shellText(values: Offered): string {
	return "asks" in values ? `"$(_hermes_ask ${quoteWord(values.asks)})"` : quoteWords([values.join(" ")]);
}

/** Words of an array of zsh, where a colon would begin a description. */
function zshItems(values: Offered): string {
	if ("asks" in values) return `\${\${(f)"$(_hermes_ask ${quoteWord(values.asks)})"}//:/\\\\:}`;
	return quoteWords(values.map(colonsEscaped));
}

/** Fish runs what stands in parentheses when the key is pressed. */
function fishWords(values: Offered): string {
	if ("asks" in values)
		return `'(hermes completion --words ${fishText(values.asks).replaceAll("'", "\\'")} 2>/dev/null)'`;
	return fishText(values.join(" "));
}

function namesOf({ long, short }: CompletableFlag): string[] {
	return short === undefined ? [long] : [short, long];
}

function pattern(path: string): string {
	return path === "" ? '""' : path;
}

/** `name:what it is`, as _describe reads it. */
function described(name: string, about: string): string {
	return `${colonsEscaped(name)}:${about}`;
}

function colonsEscaped(word: string): string {
	return word.replaceAll(":", "\\:");
}

function fishFlag({ long, short, takesValue, values }: CompletableFlag): string {
	const names = `${short === undefined ? "" : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
	if (!takesValue) return names;
	return isOffered(values) ? `${names} -x -a ${fishWords(values)}` : `${names} -r`;
}

function fishText(text: string): string {
	return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
