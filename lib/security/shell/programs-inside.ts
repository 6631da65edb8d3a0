/** Shell text and programs that a program runs from its arguments: `bash -c`, `eval`, `find -exec`. */

import type { Program } from "./program.ts";

const shells = new Set([
	"sh",
	"bash",
	"dash",
	"zsh",
	"ksh",
	"ash",
	"fish",
	"mksh",
	"csh",
	"tcsh",
	"rbash",
	"su",
	"runuser",
	"script",
	"flock",
	"sg",
]);

/** Shell text that `program` runs; undefined when it runs none. */
export function scriptInside(program: Program): string | undefined {
	if (program.script !== undefined) return program.script;
	if (program.name === "eval") return program.args.join(" ");
	if (program.name === "trap") return program.args.find((arg) => !arg.startsWith("-"));
	return shells.has(program.name) ? commandString(program.args) : undefined;
}

/** Programs whose arguments are a command for another machine, or for a container. */
const remotes: Readonly<Record<string, string>> = {
	ssh: "BbcDEeFIiJLlmOoPpQRSWw",
	docker: "euw",
	podman: "euw",
	nerdctl: "euw",
	kubectl: "nc",
	oc: "nc",
};

/** Shell text that `program` has run somewhere else: over ssh, or in a container that exists. */
export function scriptElsewhere({ name, args }: Program): string | undefined {
	const valued = Object.hasOwn(remotes, name) ? remotes[name] : undefined;
	if (valued === undefined) return undefined;
	const at = name === "ssh" ? 0 : args.indexOf("exec") + 1;
	if (name !== "ssh" && at === 0) return undefined;
	let rest = args.slice(at);
	while (rest[0]?.startsWith("-") === true && rest[0] !== "--") {
		const isValued = /^-[A-Za-z]+$/.test(rest[0]) && valued.includes(rest[0].at(-1) ?? "");
		rest = rest.slice(isValued ? 2 : 1);
	}
	const words = rest.slice(1).filter((word, index) => index > 0 || word !== "--");
	if (words.length === 0) return undefined;
	// A login shell reads the words of ssh anew; a container gets them as they are.
	return name === "ssh" ? words.join(" ") : words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
	return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What the shell text inside `program` sees as `$0`, `$1` and so on. */
export function scriptArguments(program: Program): readonly string[] {
	if (program.script !== undefined || !shells.has(program.name)) return [];
	const at = commandStringIndex(program.args);
	return at < 0 ? [] : program.args.slice(at + 1);
}

/** `program` reads the commands it runs from its standard input. */
export function runsStandardInput(program: Program): boolean {
	if (program.name === "source" || program.name === ".") return program.args[0] === "/dev/stdin";
	if (program.name === "at" || program.name === "batch")
		return !program.args.some((arg) => /^-[a-zA-Z]*[flrdc]/.test(arg));
	if (!shells.has(program.name) || commandString(program.args) !== undefined) return false;
	const file = program.args.find((arg) => !/^[-+]/.test(arg));
	return file === undefined || file === "/dev/stdin" || program.args.some((arg) => /^-[a-z]*s/.test(arg));
}

/** `program` runs the commands in a file that it is given. */
export function runsFiles({ name }: Program): boolean {
	return shells.has(name) || name === "source" || name === ".";
}

/** The programs, as fields, that `find` runs on what it finds. */
export function findCommands(args: readonly string[]): string[][] {
	const commands: string[][] = [];
	let current: string[] | undefined;
	for (const arg of args) {
		if (current !== undefined && (arg === ";" || arg === "+")) current = undefined;
		else if (current !== undefined) current.push(arg);
		else if (/^-(exec|execdir|ok|okdir)$/.test(arg)) {
			current = [];
			commands.push(current);
		}
	}
	return commands;
}

function commandString(args: readonly string[]): string | undefined {
	const glued = args.find((arg) => arg.startsWith("--command="));
	return args[commandStringIndex(args)] ?? glued?.slice("--command=".length);
}

/** Where the text of `-c` stands; -1 when there is none. */
function commandStringIndex(args: readonly string[]): number {
	let wanted = false;
	for (let index = 0; index < args.length; index++) {
		const arg = args[index] ?? "";
		if (!/^[-+]./.test(arg)) {
			if (wanted) return index;
			continue;
		}
		if (/^-[a-zA-Z]*c/.test(arg) || arg === "--command") wanted = true;
		// These take the next field: `bash -o pipefail -c …`.
		if (/^[-+][a-zA-Z]*[oO]$/.test(arg) || arg === "--rcfile" || arg === "--init-file") index++;
	}
	return -1;
}
