/** Commands that write to places which decide who may log in, what runs by itself, and what hermes may do. */

import type { Sight } from "../shell/sight.ts";
import { hasOption, operandsOf, optionValue } from "./arguments.ts";
import type { Category, Danger } from "./categories.ts";
import { writeCategory } from "./file-places.ts";
import type { DangerPlace, Rule } from "./rule.ts";

/** The files that a program writes, by its name. */
const written: Readonly<Record<string, (args: readonly string[]) => readonly string[]>> = {
	tee: operandsOf,
	cp: destination,
	mv: destination,
	install: destination,
	rsync: destination,
	scp: destination,
	ln: destination,
	link: destination,
	truncate: operandsOf,
	dd: (args) => args.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : [])),
	sed: editedBySed,
	gsed: editedBySed,
	perl: (args) => (args.some((arg) => /^-[a-zA-Z0-9]*i/.test(arg)) ? operandsOf(args) : []),
	ruby: (args) => (args.some((arg) => /^-[a-zA-Z0-9]*i/.test(arg)) ? operandsOf(args) : []),
	curl: (args) => [optionValue(args, "o", "output") ?? ""],
	wget: (args) => [optionValue(args, "O", "output-document") ?? ""],
	sort: (args) => [optionValue(args, "o", "output") ?? ""],
};
/** These edit a file of a project as they are meant to; only a new one in its place is asked about. */
const editors = new Set(["sed", "gsed", "perl", "ruby"]);

/** The dangers of what `sight` writes to, by redirections and by arguments. */
export const writeDangers: Rule = (sight, place) => {
	const { name, args } = sight.program;
	const isWriter = Object.hasOwn(written, name);
	if (!isWriter && sight.redirections.length === 0) return [];
	const categories = new Set<Category>();
	for (const { operator, target } of sight.redirections) {
		if (operator.includes(">")) add(categories, target, { sight, place });
	}
	const files = isWriter ? (written[name]?.(args) ?? []) : [];
	for (const file of files) add(categories, file, { sight, place });
	if (editors.has(name)) categories.delete("write-project-secrets");
	return [...categories].map((category): Danger => ({ category }));
};

interface Around {
	readonly sight: Sight;
	readonly place: DangerPlace;
}

function add(categories: Set<Category>, path: string, { sight, place }: Around): void {
	if (path === "" || path === "-") return;
	const category = writeCategory(path, sight.cwd, place);
	if (category !== undefined) categories.add(category);
}

/** `-t FOLDER`, else the last operand; a source may be anywhere. */
function destination(args: readonly string[]): readonly string[] {
	const folder = hasOption(args, "t", ["target-directory"]) ? optionValue(args, "t", "target-directory") : undefined;
	const operands = operandsOf(args);
	if (folder !== undefined) return [folder];
	return operands.length > 1 ? operands.slice(-1) : [];
}

/** The first operand is the script, unless an option carries it; a flag may stand behind the file. */
function editedBySed(args: readonly string[]): readonly string[] {
	const isInPlace = args.some((arg) => /^-[a-zA-Z]*i/.test(arg) || arg.startsWith("--in-place"));
	return isInPlace ? operandsOf(args) : [];
}
