/** The commands that no setting and no consent lets a model run. */

import { programReason, redirectionReason } from "./hardline-rules.ts";
import {
	expandWord,
	homeMark,
	joinWord,
	type Knowledge,
	literalArguments,
	longestValue,
	unknownMark,
} from "./shell/fields.ts";
import { lexScript } from "./shell/lexer.ts";
import { assignmentsOf, type Program, programOf } from "./shell/program.ts";
import { findCommands, runsStandardInput, scriptArguments, scriptInside } from "./shell/programs-inside.ts";
import { absoluteParts } from "./shell/protected-paths.ts";
import { NestedTooDeep, type Script, type SimpleCommand } from "./shell/syntax.ts";

/** Where the command would run; unknown parts are left out. */
export interface CommandPlace {
	readonly cwd?: string;
	readonly home?: string;
}

/** Characters of a command that can be judged. */
const longestCommand = 64 * 1024;
const deepestScript = 8;

/** Why `command` must never run, in words for the model; undefined when the hard line has nothing against it. */
export function hardlineReason(command: string, place: CommandPlace = {}): string | undefined {
	if (command.length > longestCommand) {
		return "it is longer than 64 KB and cannot be checked; put the data into a file with write_file and run a short command";
	}
	// Both readings count: the plain one is what the shell sees, the other what a look-alike wants to be.
	const plain = command.replaceAll("\0", "");
	const looksLike = Bun.stripANSI(plain).normalize("NFKC");
	const readings = plain === looksLike ? [plain] : [plain, looksLike];
	try {
		for (const reading of readings) {
			const reason = forkBomb(reading) ?? new Walk(place).text(reading, startOf(place));
			if (reason !== undefined) return reason;
		}
	} catch (cause) {
		if (cause instanceof NestedTooDeep) return "it is nested too deep to be checked; write it in a simpler way";
		throw cause;
	}
	return undefined;
}

function startOf(place: CommandPlace): Knowledge {
	return { variables: new Map(), choices: new Map(), cwd: place.cwd };
}

/** `:(){ :|:& };:` under any name. */
function forkBomb(text: string): string | undefined {
	const dense = text.replace(/\s+/g, "");
	const isBomb =
		/([^\s(){}|&;]{1,32})\(\)\{\1\|\1&;?\}/.test(dense) || /function([^\s(){}|&;]{1,32})\{\1\|\1&;?\}/.test(dense);
	return isBomb ? "it is a fork bomb" : undefined;
}

/** Goes through a script in order and remembers folders and variables as the shell would. */
class Walk {
	readonly #home: string | undefined;
	#depth = 0;

	constructor(place: CommandPlace) {
		this.#home = place.home;
	}

	text(text: string, knowledge: Knowledge): string | undefined {
		return this.#deeper(() => this.script(lexScript(text), knowledge));
	}

	#deeper(look: () => string | undefined): string | undefined {
		if (this.#depth >= deepestScript) throw new NestedTooDeep("Cannot read the command: scripts within scripts");
		this.#depth++;
		const reason = look();
		this.#depth--;
		return reason;
	}

	script(script: Script, knowledge: Knowledge): string | undefined {
		const outside: (string | undefined)[] = [];
		let piped: string | undefined;
		for (const [index, item] of script.entries()) {
			if (item.kind === "open") outside.push(knowledge.cwd);
			// What a subshell does to its folder ends with it.
			else if (item.kind === "close" && outside.length > 0) knowledge.cwd = outside.pop();
			if (item.kind !== "command") continue;
			const fields = item.words.flatMap((word) => expandWord(word, knowledge));
			const reason = this.#command(item, { fields, piped, knowledge });
			if (reason !== undefined) return reason;
			const next = script[index + 1];
			const pipes = next?.kind === "operator" && next.text.startsWith("|") && next.text !== "||";
			piped = pipes ? outputOf(item, fields, knowledge) : undefined;
		}
		return undefined;
	}

	#command(command: SimpleCommand, run: Run): string | undefined {
		return (
			this.#substitutions(command, run.knowledge) ?? this.#redirections(command, run) ?? this.#fields(command, run)
		);
	}

	#substitutions(command: SimpleCommand, knowledge: Knowledge): string | undefined {
		const words = [
			...command.words,
			...command.redirections.flatMap(({ target, body }) => (body ? [target, body] : [target])),
		];
		for (const part of words.flat()) {
			const reason = part.kind === "substitution" ? this.script(part.script, copyOf(knowledge)) : undefined;
			if (reason !== undefined) return reason;
		}
		return undefined;
	}

	#redirections(command: SimpleCommand, { knowledge }: Run): string | undefined {
		for (const redirection of command.redirections) {
			const reason = redirectionReason(redirection, joinWord(redirection.target, knowledge), knowledge.cwd);
			if (reason !== undefined) return reason;
		}
		return undefined;
	}

	#fields(command: SimpleCommand, run: Run): string | undefined {
		const input = standardInputOf(command, run.knowledge) ?? run.piped;
		const program = withPipedArguments(programOf(run.fields), input);
		const reason = this.#program(program, run.knowledge) ?? this.#standardInput(command, program, run);
		learn(program, run.fields, run.knowledge);
		return reason;
	}

	#program(program: Program, knowledge: Knowledge): string | undefined {
		const cwd = program.folder === undefined ? knowledge.cwd : folderFrom(program.folder, knowledge.cwd);
		const reason = programReason(program, { cwd, home: this.#home });
		if (reason !== undefined) return reason;
		if (program.name === "find") {
			for (const fields of findCommands(program.args)) {
				const inner = this.#deeper(() => this.#program(programOf(fields), knowledge));
				if (inner !== undefined) return inner;
			}
		}
		const inside = scriptInside(program);
		if (inside === undefined) return undefined;
		const within = { ...copyOf(knowledge), cwd };
		setPositional(scriptArguments(program), within);
		return this.text(readable(inside), within);
	}

	#standardInput(command: SimpleCommand, program: Program, { piped, knowledge }: Run): string | undefined {
		if (!runsStandardInput(program)) return undefined;
		const input = standardInputOf(command, knowledge) ?? piped;
		return input === undefined ? undefined : this.text(readable(input), copyOf(knowledge));
	}
}

interface Run {
	readonly fields: readonly string[];
	/** What the command before in the pipeline prints, when that is plain to see. */
	readonly piped: string | undefined;
	readonly knowledge: Knowledge;
}

/** Marks turn back into what a shell would read as the same thing. */
function readable(text: string): string {
	return text.replaceAll(homeMark, "$HOME").replaceAll(unknownMark, "$_");
}

function copyOf(knowledge: Knowledge): Knowledge {
	return {
		variables: new Map(knowledge.variables),
		choices: new Map(knowledge.choices),
		cwd: knowledge.cwd,
	};
}

function withPipedArguments(program: Program, piped: string | undefined): Program {
	if (!program.readsArguments || piped === undefined) return program;
	return { ...program, args: [...program.args, ...piped.split(/\s+/).filter((field) => field !== "")] };
}

function outputOf(command: SimpleCommand, fields: readonly string[], knowledge: Knowledge): string | undefined {
	const program = programOf(fields);
	return program.name === "cat"
		? standardInputOf(command, knowledge)
		: literalArguments([program.name, ...program.args]);
}

function standardInputOf(command: SimpleCommand, knowledge: Knowledge): string | undefined {
	const redirection = command.redirections.findLast(({ operator }) => operator.startsWith("<<"));
	if (redirection === undefined) return undefined;
	return joinWord(redirection.operator === "<<<" ? redirection.target : (redirection.body ?? []), knowledge);
}

/** What later commands of the same script can know after this one: variables and the folder. */
function learn(program: Program, fields: readonly string[], knowledge: Knowledge): void {
	for (const [name, value] of assignmentsOf(fields)) remember(name, value, knowledge);
	if (fields[0] === "for" && fields[2] === "in") rememberChoices(fields[1] ?? "", fields.slice(3), knowledge);
	if (program.name === "set") {
		const first = program.args.findIndex((arg) => arg === "--" || !/^[-+]/.test(arg));
		const values = program.args.slice(program.args[first] === "--" ? first + 1 : first);
		if (first >= 0) setPositional(["", ...values], knowledge);
	}
	if (program.name === "cd" || program.name === "pushd") {
		const target = program.args.find((arg) => !/^-./.test(arg)) ?? homeMark;
		knowledge.cwd = target === "-" ? undefined : folderFrom(target, knowledge.cwd);
	}
	if (program.name === "popd") knowledge.cwd = undefined;
}

function folderFrom(path: string, cwd: string | undefined): string | undefined {
	const parts = absoluteParts(path, cwd);
	return parts === undefined ? undefined : `/${parts.join("/")}`;
}

/** `$0`, `$1` and so on; nothing changes when there are none. */
function setPositional(values: readonly string[], knowledge: Knowledge): void {
	for (const [index, value] of values.entries()) remember(String(index), value, knowledge);
	const all = values.slice(1).join(" ");
	if (values.length > 0) for (const name of ["@", "*"]) remember(name, all, knowledge);
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
