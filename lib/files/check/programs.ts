/** Syntax checks by programs of the sandbox. Each reads the text from its standard input; none runs what it reads. */

import { numberField, runScript } from "../run-script.ts";
import type { Check, Problem } from "./checker.ts";

/** A program, and how it says what is wrong. */
export interface CheckProgram {
	/** The first of these that is there. */
	readonly names: readonly string[];
	readonly args: readonly string[];
	/** One fault: its groups `line` and `message`. Everything else that is said does not count. */
	readonly fault: RegExp;
}

/** A program that takes longer is not worth waiting for. */
const seconds = 10;
const answerBytes = 64 * 1024;

const programScript = `
names=$1; shift
program=
for name in $names; do command -v "$name" >/dev/null 2>&1 && { program=$name; break; }; done
[ -n "$program" ] || { emit missing 1; done_; }
said=$("$program" "$@" 2>&1 >/dev/null)
emit code "$?"
begin said; printf %s "$said" | head -c 30000; end
done_
`;

/** Compiles, which finds more than parsing does, and runs nothing. Old versions are understood as well as new ones. */
const python = `
import sys, warnings
warnings.simplefilter("ignore")
try:
    compile(sys.stdin.buffer.read(), "file", "exec", 0, True)
except SyntaxError as error:
    sys.stderr.write("line %s: %s: %s" % (error.lineno, type(error).__name__, error.msg))
except ValueError as error:
    sys.stderr.write("line 1: %s" % error)
`;

/** By the type in the name of a file. */
export const checkPrograms: Readonly<Record<string, CheckProgram>> = {
	python: {
		names: ["python3", "python"],
		args: ["-I", "-S", "-c", python],
		fault: /^line (?<line>\d+|None): (?<message>.+)$/gm,
	},
	bash: { names: ["bash"], args: ["--norc", "-n"], fault: /^bash: line (?<line>\d+): (?<message>.+)$/gm },
	sh: { names: ["sh"], args: ["-n"], fault: /^(?:\S*sh|-): (?:line )?(?<line>\d+): (?<message>.+)$/gm },
	go: { names: ["gofmt"], args: ["-e"], fault: /^<standard input>:(?<line>\d+):\d+: (?<message>.+)$/gm },
	rust: {
		names: ["rustfmt"],
		args: ["--edition", "2021", "--config", "skip_children=true"],
		fault: /^error(?:\[\w+\])?: (?<message>.+)\n\s*--> <stdin>:(?<line>\d+):\d+$/gm,
	},
	ruby: { names: ["ruby"], args: ["-c", "--disable=gems"], fault: /^-:(?<line>\d+): (?<message>.+)$/gm },
	php: {
		names: ["php"],
		args: ["-n", "-l"],
		fault: /^(?:PHP )?(?<message>.+) in Standard input code on line (?<line>\d+)$/gm,
	},
	lua: {
		names: ["luac", "luac5.4", "luac5.3"],
		args: ["-p", "-"],
		fault: /^luac\S*: stdin:(?<line>\d+): (?<message>.+)$/gm,
	},
};

/** The check that `program` makes. */
export function checkBy({ names, args, fault }: CheckProgram): Check {
	return async (place, { text }) => {
		const answer = await runScript(place, {
			script: programScript,
			args: [names.join(" "), ...args],
			stdin: text,
			answerBytes,
			timeoutSeconds: seconds,
		});
		if (answer.timedOut) return { skipped: `${names[0]} took more than ${seconds} seconds` };
		if (answer.fields.has("missing")) return { skipped: `there is no ${names[0]} to check it with` };
		const said = answer.fields.get("said") ?? "";
		const problems = problemsIn(said, fault);
		const isBroken = problems.length === 0 && numberField(answer.fields, "code") !== 0;
		return isBroken ? { skipped: `${names[0]} does not work here: ${said.trim().slice(0, 200)}` } : { problems };
	};
}

function problemsIn(said: string, fault: RegExp): Problem[] {
	return [...said.matchAll(fault)].map(({ groups }): Problem => {
		const line = numberField(new Map(Object.entries(groups ?? {})), "line");
		return { message: groups?.message ?? "", ...(line > 0 && { line }) };
	});
}
