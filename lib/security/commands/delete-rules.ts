/** Commands that delete files, wipe disks, or open files to everybody. */

import { unknownMark } from "../shell/fields.ts";
import { programOf } from "../shell/program.ts";
import { findCommands } from "../shell/programs-inside.ts";
import { isProtected } from "../shell/protected-paths.ts";
import type { Sight } from "../shell/sight.ts";
import { hasOption, operandsOf } from "./arguments.ts";
import type { Category, Danger, Reach } from "./categories.ts";
import type { DangerPlace, Rules } from "./rule.ts";

/** By the name of the program. */
export const deleteRules: Rules = {
	rm: removed,
	find: found,
	shred: ({ program: { args }, cwd }) => [{ category: "shred", reaches: reachesOf(operandsOf(args), cwd) }],
	unlink: ({ program: { args }, cwd }) =>
		args.some((arg) => arg.startsWith("/")) ? [{ category: "delete-absolute", reaches: reachesOf(args, cwd) }] : [],
	mv: (sight, place) => systemFolder(sight, place, { from: 0, to: -1 }),
	wipefs: ({ program: { args } }) => (hasOption(args, "ao", ["all", "offset"]) ? [{ category: "wipe-disk" }] : []),
	blkdiscard: () => [{ category: "wipe-disk" }],
	dd: ({ program: { args } }) => (args.some((arg) => arg.startsWith("if=")) ? [{ category: "raw-copy" }] : []),
	chmod: (sight, place) => {
		const mode = sight.program.args.find((arg) => !/^-(?:[cfvR]+$|-)/.test(arg)) ?? "";
		const opened: Danger[] = opensToAll(mode) ? [{ category: "world-writable" }] : [];
		return [...opened, ...ofAll(sight, place)];
	},
	chown: (sight, place) => {
		const { args } = sight.program;
		const isRoot = /^(?:root|0)(?:[:.]|$)/.test(operandsOf(args)[0] ?? "");
		const given: Danger[] = isRoot && hasOption(args, "R", ["recursive"]) ? [{ category: "chown-root" }] : [];
		return [...given, ...ofAll(sight, place)];
	},
	chgrp: (sight, place) => ofAll(sight, place),
};

/** Changes of everything below a folder; the first operand says what changes. */
function ofAll(sight: Sight, place: DangerPlace): Danger[] {
	return hasOption(sight.program.args, "R", ["recursive"]) ? systemFolder(sight, place, { from: 1 }) : [];
}

/** Some of the operands is a folder without which the machine or the user has nothing left. */
function systemFolder(
	{ program: { args }, cwd }: Sight,
	{ home }: DangerPlace,
	{ from, to }: { readonly from: number; readonly to?: number },
): Danger[] {
	const isSystem = operandsOf(args)
		.slice(from, to)
		.some((path) => isProtected(path, cwd, home));
	return isSystem ? [{ category: "system-folder" }] : [];
}

function removed({ program: { args, readsArguments }, cwd }: Sight): Danger[] {
	const operands = operandsOf(args);
	const reaches = reachesOf(readsArguments ? [...operands, unknownMark] : operands, cwd);
	const isRecursive = hasOption(args, "rR", ["recursive"]);
	const found: Category[] = [];
	if (operands.some((path) => path.startsWith("/"))) found.push("delete-absolute");
	if (isRecursive) found.push("delete-recursive");
	if (readsArguments) found.push("delete-listed");
	return found.map((category) => ({ category, reaches }));
}

function found({ program: { args }, cwd }: Sight): Danger[] {
	const firstTest = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg));
	const roots = operandsOf(firstTest < 0 ? args : args.slice(0, firstTest));
	const reaches = reachesOf(roots.length === 0 ? ["."] : roots, cwd);
	const runs = findCommands(args).map((fields) => programOf(fields).name);
	const found: Category[] = [];
	if (runs.some((program) => /^(?:rm|shred|unlink)$/.test(program))) found.push("find-exec-delete");
	if (args.includes("-delete")) found.push("find-delete");
	return found.map((category) => ({ category, reaches }));
}

function reachesOf(paths: readonly string[], cwd: string | undefined): Reach[] {
	return paths.map((path) => ({ path, cwd }));
}

/** `777`, `0666`, `o+w`, `ugo+rw`, `a=rwx`. A bare `+w` keeps to the umask. */
function opensToAll(mode: string): boolean {
	if (/^[0-7]{3,5}$/.test(mode)) return "2367".includes(mode.at(-1) ?? "");
	return mode.split(",").some((clause) => /^[ug]*[oa][ugoa]*[-+=rwxXst]*[+=][rxXst]*w/.test(clause));
}
