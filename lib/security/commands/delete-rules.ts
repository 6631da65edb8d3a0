/** Commands that delete files, wipe disks, or open files to everybody. */

import { unknownMark } from "../shell/fields.ts";
import { programOf } from "../shell/program.ts";
import { findCommands } from "../shell/programs-inside.ts";
import type { Sight } from "../shell/sight.ts";
import { hasOption, operandsOf } from "./arguments.ts";
import type { Category, Danger, Reach } from "./categories.ts";
import type { Rules } from "./rule.ts";

/** By the name of the program. */
export const deleteRules: Rules = {
	rm: removed,
	find: found,
	shred: ({ program: { args }, cwd }) => [{ category: "shred", reaches: reachesOf(operandsOf(args), cwd) }],
	wipefs: ({ program: { args } }) => (hasOption(args, "ao", ["all", "offset"]) ? [{ category: "wipe-disk" }] : []),
	blkdiscard: () => [{ category: "wipe-disk" }],
	dd: ({ program: { args } }) => (args.some((arg) => arg.startsWith("if=")) ? [{ category: "raw-copy" }] : []),
	chmod: ({ program: { args } }) => {
		const mode = args.find((arg) => !/^-(?:[cfvR]+$|-)/.test(arg)) ?? "";
		return opensToAll(mode) ? [{ category: "world-writable" }] : [];
	},
	chown: ({ program: { args } }) => {
		const isRoot = /^(?:root|0)(?:[:.]|$)/.test(operandsOf(args)[0] ?? "");
		return isRoot && hasOption(args, "R", ["recursive"]) ? [{ category: "chown-root" }] : [];
	},
};

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
