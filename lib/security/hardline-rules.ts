/** What the hard line forbids a single program: the list is kept tiny, and every entry ends the machine or the home. */

import { unknownMark } from "./shell/fields.ts";
import type { Program } from "./shell/program.ts";
import { absoluteParts, isProtected } from "./shell/protected-paths.ts";

/** Where a program would run. */
export interface RunPlace {
	readonly cwd: string | undefined;
	readonly home: string | undefined;
}

/** Against a path without `.`, `..` and doubled slashes, in lower case. */
const rawDisk =
	/^dev\/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|disk\/by-|dm-\d|md\d|mapper\/(?!control$))/;
const powerPrograms = new Set(["shutdown", "reboot", "halt", "poweroff"]);
const powerVerbs = new Set(["poweroff", "reboot", "halt", "kexec", "soft-reboot"]);
const powerTargets = /^(poweroff|reboot|halt|kexec|shutdown|runlevel0|runlevel6)\.target$/;
/** Options of find that narrow nothing. */
const findOptions = new Set([
	"-xdev",
	"-mount",
	"-depth",
	"-d",
	"-print",
	"-print0",
	"-H",
	"-L",
	"-P",
	"-follow",
	"-noleaf",
	"-daystart",
]);
const findValued = new Set(["-mindepth", "-maxdepth", "-type"]);

type Rule = (program: Program, place: RunPlace) => string | undefined;

const rules: Readonly<Record<string, Rule>> = {
	rm: ({ args }, place) => {
		const target = operands(args).find((arg) => isProtected(arg, place.cwd, place.home));
		return target === undefined ? undefined : "it deletes the root folder, a system folder or a whole home folder";
	},
	find: ({ args }, place) =>
		findsEverything(args, place) && findDeletes(args)
			? "it deletes everything below a system folder or a home"
			: undefined,
	dd: ({ args }, { cwd }) =>
		fileReason(
			args.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : [])),
			cwd,
		),
	sponge: ({ args }, { cwd }) => fileReason(args, cwd),
	mke2fs: () => "it makes a new file system",
	tee: ({ args }, { cwd }) => fileReason(args, cwd),
	cp: ({ args }, { cwd }) => fileReason(operands(args).slice(-1), cwd),
	kill: ({ args }) => (killsEverything(args) ? "it kills every process" : undefined),
	init: ({ args }) => runlevel(args),
	telinit: ({ args }) => runlevel(args),
	loginctl: ({ args }) => (systemctlStops(args) ? "it stops or restarts the machine" : undefined),
	kexec: ({ args }) => (args.some((arg) => /^(-e|--exec)$/.test(arg)) ? "it stops or restarts the machine" : undefined),
	systemctl: ({ args }) => (systemctlStops(args) ? "it stops or restarts the machine" : undefined),
};

/** Why `program` must never run; undefined when the hard line has nothing against it. */
export function programReason(program: Program, place: RunPlace): string | undefined {
	// What nobody knows may be nothing: `r${x}m`.
	const name = program.name.replaceAll(unknownMark, "");
	if (powerPrograms.has(name)) return "it stops or restarts the machine";
	if (/^mkfs(?:\.(?!(?:sh|bash|py|pl|rb|js|ts|md|txt)$).*)?$/.test(name)) return "it makes a new file system";
	return Object.hasOwn(rules, name) ? rules[name]?.(program, place) : undefined;
}

/** Why a redirection to `target`, as seen from `cwd`, must never happen. */
export function redirectionReason(operator: string, target: string, cwd: string | undefined): string | undefined {
	return operator.includes(">") ? fileReason([target], cwd) : undefined;
}

/** Why nothing must be written to one of `paths`. */
function fileReason(paths: readonly string[], cwd: string | undefined): string | undefined {
	const names = paths.map((path) => absoluteParts(path, cwd)?.join("/") ?? "");
	if (names.some((name) => rawDisk.test(name))) return "it writes to a raw disk";
	return names.includes("proc/sysrq-trigger") ? "it stops or restarts the machine" : undefined;
}

/** Arguments that are not options; after `--` all of them. */
function operands(args: readonly string[]): string[] {
	const end = args.indexOf("--");
	const before = end < 0 ? args : args.slice(0, end);
	return [...before.filter((arg) => !arg.startsWith("-")), ...(end < 0 ? [] : args.slice(end + 1))];
}

function findsEverything(args: readonly string[], place: RunPlace): boolean {
	const firstTest = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-([HLP]|O\d?|D)$/.test(arg));
	const roots = operands(firstTest < 0 ? args : args.slice(0, firstTest));
	const isWide = (roots.length === 0 ? ["."] : roots).some((root) => isProtected(root, place.cwd, place.home));
	return isWide && narrowsNothing(firstTest < 0 ? [] : args.slice(firstTest));
}

function narrowsNothing(tests: readonly string[]): boolean {
	for (let index = 0; index < tests.length; index++) {
		const test = tests[index] ?? "";
		if (test === "-delete" || /^-(exec|ok)(dir)?$/.test(test)) return true;
		if (findValued.has(test)) index++;
		else if (!findOptions.has(test)) return false;
	}
	return true;
}

function findDeletes(args: readonly string[]): boolean {
	const programs = args.flatMap((arg, index) =>
		/^-(exec|ok)(dir)?$/.test(arg) ? [args[index + 1]?.split("/").at(-1)] : [],
	);
	return args.includes("-delete") || programs.includes("rm");
}

/** The process group −1 is everything; as a first option `-1` is the signal HUP. */
function killsEverything(args: readonly string[]): boolean {
	const first = args[0] ?? "";
	let targets = args;
	if (/^-(s|n|-signal)$/.test(first)) targets = args.slice(2);
	else if (/^-[A-Za-z0-9-]/.test(first) && first !== "--") targets = args.slice(1);
	return targets.some((target) => /^-0*1$/.test(target));
}

function runlevel(args: readonly string[]): string | undefined {
	return args.some((arg) => arg === "0" || arg === "6") ? "it stops or restarts the machine" : undefined;
}

function systemctlStops(args: readonly string[]): boolean {
	const words = args.filter(
		(arg, index) => !arg.startsWith("-") && !/^-([HMtpnos]|-host|-machine)$/.test(args[index - 1] ?? ""),
	);
	const verb = words[0] ?? "";
	if (powerVerbs.has(verb)) return true;
	return (verb === "start" || verb === "isolate") && words.slice(1).some((unit) => powerTargets.test(unit));
}
