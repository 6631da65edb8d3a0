/** Goes through a script in order, as a shell would, and shows every program that it may run. */

import {
	expandWord,
	homeMark,
	joinWord,
	type Knowledge,
	literalArguments,
	literalOutput,
	unknownMark,
} from "./fields.ts";
import { functionAt, isPipedToItself, rememberFunction } from "./functions.ts";
import { copyOf, folderFrom, knowledgeAt, learn, type StartingPoint, setPositional } from "./learn.ts";
import { lexScript } from "./lexer.ts";
import { Pipeline } from "./pipeline.ts";
import { assignmentsOf, type Program, programOf } from "./program.ts";
import {
	findCommands,
	runsFiles,
	runsStandardInput,
	scriptArguments,
	scriptElsewhere,
	scriptInside,
} from "./programs-inside.ts";
import { scriptsIn } from "./scripts-in.ts";
import { type Sight, type Source, sourceOf } from "./sight.ts";
import { NestedTooDeep, type Script, type SimpleCommand, type Word } from "./syntax.ts";

const deepestScript = 8;
/** Calls of functions that are followed into their bodies. */
const mostCalls = 64;
/** Characters of output of commands that are followed. */
const mostPrinted = 1024 * 1024;
const none: ReadonlySet<Source> = new Set();
const nothingAround = { assigned: [], redirections: [], input: undefined };

/**
 * Shows `visit` every program that `text` may run, with what is known where it runs.
 * @throws {NestedTooDeep} When scripts or substitutions are nested deeper than anybody writes.
 */
export function walkCommand(text: string, start: StartingPoint, visit: (sight: Sight) => void): void {
	new Walk(visit).text(text, knowledgeAt(start));
}

/** One command and what stands around it. */
interface Run {
	readonly fields: readonly string[];
	/** Standard input from the command before, when that is plain to see. */
	readonly printed: string | undefined;
	readonly piped: ReadonlySet<Source>;
	readonly substituted: ReadonlySet<Source>;
	readonly inBackground: boolean;
	readonly isForkBomb: boolean;
	readonly knowledge: Knowledge;
}

class Walk {
	readonly #visit: (sight: Sight) => void;
	readonly #calling = new Set<string>();
	#depth = 0;
	#calls = 0;
	#printedLeft = mostPrinted;
	#isElsewhere = false;

	constructor(visit: (sight: Sight) => void) {
		this.#visit = visit;
	}

	text(text: string, knowledge: Knowledge): void {
		this.#deeper(() => this.#script(lexScript(text), knowledge));
	}

	#deeper(look: () => void): void {
		if (this.#depth >= deepestScript) throw new NestedTooDeep("Cannot read the command: scripts within scripts");
		this.#depth++;
		look();
		this.#depth--;
	}

	#script(script: Script, knowledge: Knowledge, fed: ReadonlySet<Source> = none): ReadonlySet<Source> {
		const outside: (string | undefined)[] = [];
		const pipeline = new Pipeline(fed);
		let printed: string | undefined;
		for (const [index, item] of script.entries()) {
			if (item.kind === "operator") pipeline.operator(item.text);
			else if (item.kind !== "command") enterOrLeave({ script, index, pipeline, outside, knowledge });
			if (item.kind !== "command") continue;
			const next = script[index + 1];
			const follows = next?.kind === "operator" ? next.text : "";
			printed = this.#item(item, { script, index, follows, printed, pipeline, knowledge });
		}
		return pipeline.all;
	}

	/** Gives what the command prints into a pipe, when that is plain to see. */
	#item(item: SimpleCommand, at: ItemPlace): string | undefined {
		const { pipeline, knowledge, follows } = at;
		const fields = item.words.flatMap((word) => expandWord(word, knowledge));
		const defined = functionAt(at.script, at.index);
		if (defined !== undefined) rememberFunction(defined, knowledge);
		pipeline.begin(fields[0] ?? "", defined);
		const run: Run = {
			fields,
			printed: at.printed,
			piped: pipeline.feeding,
			substituted: this.#substitutions(item, knowledge),
			inBackground: follows === "&",
			isForkBomb: isPipedToItself(at.script, at.index, pipeline),
			knowledge,
		};
		const { program, input } = this.#command(item, run);
		pipeline.ran(sourceOf(program));
		return follows === "|" || follows === "|&" ? this.#printed(outputOf(program, input)) : undefined;
	}

	/** Text that grows from command to command is followed only so far. */
	#printed(text: string | undefined): string | undefined {
		this.#printedLeft -= text?.length ?? 0;
		return this.#printedLeft < 0 ? undefined : text;
	}

	#substitutions(command: SimpleCommand, knowledge: Knowledge): ReadonlySet<Source> {
		if (command.redirections.length === 0 && command.words.every(isPlain)) return none;
		const found = new Set<Source>();
		const words = [
			...command.words,
			...command.redirections.flatMap(({ target, body }) => (body ? [target, body] : [target])),
		];
		for (const word of words) {
			for (const script of scriptsIn(word)) {
				for (const source of this.#script(script, copyOf(knowledge))) found.add(source);
			}
		}
		return found.size === 0 ? none : found;
	}

	#command(command: SimpleCommand, run: Run): { readonly program: Program; readonly input: string | undefined } {
		const { fields, knowledge } = run;
		const input = standardInputOf(command, knowledge) ?? run.printed;
		const program = withPipedArguments(programOf(fields), input);
		const redirections = command.redirections.map(({ operator, target }) => ({
			operator,
			target: expandWord(target, knowledge).join(" "),
		}));
		const assigned = assignmentsOf(fields).map(([name]) => name);
		this.#program(program, { ...run, assigned, redirections, input });
		const texts = runsStandardInput(program) ? [input] : [];
		if (runsFiles(program)) texts.push(...filesOf(command, knowledge));
		for (const text of texts) if (text !== undefined) this.text(readable(text), copyOf(knowledge));
		this.#named(program, run);
		learn(program, { fields, input }, knowledge);
		return { program, input };
	}

	#program(program: Program, run: Run & Pick<Sight, "redirections" | "input" | "assigned">): void {
		const { knowledge, ...seen } = run;
		const cwd = program.folder === undefined ? knowledge.cwd : folderFrom(program.folder, knowledge.cwd);
		this.#visit({ ...seen, program, cwd, isElsewhere: this.#isElsewhere });
		if (program.name === "find") {
			for (const fields of findCommands(program.args)) {
				this.#deeper(() => this.#program(programOf(fields), { ...run, ...nothingAround }));
			}
		}
		const within = (): Knowledge => ({ ...copyOf(knowledge), cwd });
		const inside = scriptInside(program);
		if (inside !== undefined) {
			const known = within();
			setPositional(scriptArguments(program), known);
			this.text(readable(inside), known);
		}
		const elsewhere = scriptElsewhere(program);
		if (elsewhere !== undefined) this.#elsewhere(elsewhere, { ...within(), cwd: undefined });
	}

	#elsewhere(text: string, knowledge: Knowledge): void {
		const before = this.#isElsewhere;
		this.#isElsewhere = true;
		this.text(readable(text), knowledge);
		this.#isElsewhere = before;
	}

	/** A function or an alias of the script itself, called by its name. */
	#named(program: Program, { knowledge, piped }: Run): void {
		const body = knowledge.named?.get(program.name);
		if (body === undefined || this.#calling.has(program.name) || ++this.#calls > mostCalls) return;
		this.#calling.add(program.name);
		const within = copyOf(knowledge);
		if (typeof body === "string") this.text(readable([body, ...program.args].join(" ")), within);
		else {
			setPositional([program.name, ...program.args], within);
			this.#deeper(() => this.#script(body, within, piped));
		}
		this.#calling.delete(program.name);
	}
}

/** Parentheses: what a subshell does to its folder ends with it. Those of `f()` hold nothing. */
function enterOrLeave({ script, index, pipeline, outside, knowledge }: Parenthesis): void {
	const opens = script[index]?.kind === "open";
	if (script[opens ? index + 1 : index - 1]?.kind === (opens ? "close" : "open")) return;
	if (opens) {
		outside.push(knowledge.cwd);
		pipeline.open();
		return;
	}
	if (outside.length > 0) knowledge.cwd = outside.pop();
	pipeline.close();
}

interface Parenthesis extends Pick<ItemPlace, "script" | "index" | "pipeline" | "knowledge"> {
	/** Folders of the shells around. */
	readonly outside: (string | undefined)[];
}

interface ItemPlace {
	readonly script: Script;
	readonly index: number;
	/** The operator behind the command. */
	readonly follows: string;
	readonly printed: string | undefined;
	readonly pipeline: Pipeline;
	readonly knowledge: Knowledge;
}

function isPlain(word: Word): boolean {
	return word.length === 1 && word[0]?.kind === "text";
}

/** Marks turn back into what a shell would read as the same thing. */
function readable(text: string): string {
	return text.replaceAll(homeMark, "$HOME").replaceAll(unknownMark, "$_");
}

function withPipedArguments(program: Program, printed: string | undefined): Program {
	if (!program.readsArguments || printed === undefined) return program;
	return { ...program, args: [...program.args, ...printed.split(/\s+/).filter((field) => field !== "")] };
}

/** What `program` prints, when that is plain to see. */
function outputOf(program: Program, input: string | undefined): string | undefined {
	if (program.name === "tee" || (program.name === "cat" && program.args.every((arg) => arg.startsWith("-"))))
		return input;
	const isDecoder = program.name === "base64" && program.args.some((arg) => /^(?:-[a-zA-Z]*[dD]|--decode)$/.test(arg));
	if (isDecoder) return input && Buffer.from(input, "base64").toString();
	if (program.name === "find") return rootsOf(program.args);
	if (program.name === "ls" && program.args.every((arg) => arg.startsWith("-"))) return "*";
	return literalArguments([program.name, ...program.args]);
}

/** `find / | xargs rm` is given the root itself before anything else. */
function rootsOf(args: readonly string[]): string | undefined {
	const roots: string[] = [];
	for (const arg of args) {
		if (/^-[HLP]$/.test(arg)) continue;
		if (/^[-(!]/.test(arg)) break;
		roots.push(arg);
	}
	const isFiltered = args.some((arg) =>
		/^-(?:i?(?:name|path|regex|wholename)|newer|[acm](?:time|min)|size|user|empty|mindepth)/.test(arg),
	);
	return isFiltered ? undefined : roots.join("\n");
}

/** What the files `<(…)` of a command hold, as far as it is plain to see. */
function filesOf({ words, redirections }: SimpleCommand, knowledge: Knowledge): (string | undefined)[] {
	const parts = [...words, ...redirections.map(({ target }) => target)].flat();
	return parts.map((part) =>
		part.kind === "substitution" && part.isFile ? literalOutput(part, knowledge) : undefined,
	);
}

function standardInputOf(command: SimpleCommand, knowledge: Knowledge): string | undefined {
	const redirection = command.redirections.findLast(({ operator }) => operator.startsWith("<<"));
	if (redirection === undefined) return undefined;
	return joinWord(redirection.operator === "<<<" ? redirection.target : (redirection.body ?? []), knowledge);
}
