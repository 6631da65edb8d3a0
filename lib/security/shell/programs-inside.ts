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
	"rbash",
	"su",
	"runuser",
	"script",
	"flock",
]);
const joined = new Set(["eval", "watch"]);

/** Shell text that `program` runs; undefined when it runs none. */
export function scriptInside(program: Program): string | undefined {
	if (program.script !== undefined) return program.script;
	if (joined.has(program.name)) return program.args.join(" ");
	if (program.name === "trap") return program.args.find((arg) => !arg.startsWith("-"));
	return shells.has(program.name) ? commandString(program.args) : undefined;
}

/** `program` reads the commands it runs from its standard input. */
export function runsStandardInput(program: Program): boolean {
	if (program.name === "source" || program.name === ".") return program.args[0] === "/dev/stdin";
	if (!shells.has(program.name) || commandString(program.args) !== undefined) return false;
	const file = program.args.find((arg) => !/^[-+]/.test(arg));
	return file === undefined || file === "/dev/stdin" || program.args.some((arg) => /^-[a-z]*s/.test(arg));
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
	let wanted = false;
	for (let index = 0; index < args.length; index++) {
		const arg = args[index] ?? "";
		if (/^--command=/.test(arg)) return arg.slice("--command=".length);
		if (!/^[-+]./.test(arg)) {
			if (wanted) return arg;
			continue;
		}
		if (/^-[a-zA-Z]*c/.test(arg) || arg === "--command") wanted = true;
		// These take the next field: `bash -o pipefail -c …`.
		if (/^[-+][a-zA-Z]*[oO]$/.test(arg) || arg === "--rcfile" || arg === "--init-file") index++;
	}
	return undefined;
}
