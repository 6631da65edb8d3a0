/** Which files a command may destroy, so that they can be kept before it runs. */

import { posix } from "node:path";
import { expandWord, homeMark, joinWord, type Knowledge, unknownMark } from "../../security/shell/fields.ts";
import { lexScript } from "../../security/shell/lexer.ts";
import { type Program, programOf } from "../../security/shell/program.ts";
import { findCommands, scriptInside } from "../../security/shell/programs-inside.ts";
import { scriptsIn } from "../../security/shell/scripts-in.ts";
import { NestedTooDeep, type Redirection, type Script, type SimpleCommand } from "../../security/shell/syntax.ts";

/** Programs that overwrite or remove what they are given. */
const destructive = new Set([
	...["rm", "rmdir", "unlink", "shred", "truncate", "mv", "cp", "install", "dd", "ln", "tee", "rsync", "patch"],
	...["tar", "unzip", "sponge", "ed", "ex", "rename"],
]);
/** Programs that do so with one of these arguments. */
const destructiveWith: Readonly<Record<string, RegExp>> = {
	sed: /^(-[a-zA-Z]*i|--in-place)/,
	gsed: /^(-[a-zA-Z]*i|--in-place)/,
	perl: /^-[a-zA-Z0-9]*i/,
	ruby: /^-[a-zA-Z0-9]*i/,
	awk: /^inplace$/,
	gawk: /^inplace$/,
	find: /^-delete$/,
	sort: /^(-[a-zA-Z]*o|--output)/,
	git: /^(am|apply|checkout|cherry-pick|clean|merge|mv|pull|rebase|reset|restore|revert|rm|stash|switch|bisect|filter-branch|filter-repo|read-tree|checkout-index|submodule|worktree)$/,
	svn: /^(revert|update|switch|merge|rm|mv)$/,
	hg: /^(revert|update|merge|rebase|purge|strip|rm|mv)$/,
};

const longestCommand = 64 * 1024;
const deepest = 8;
const mostPaths = 8;

/**
 * Absolute places that `command`, started in `cwd`, may change for good: its folder (with a slash at the end), and what it
 * names outside of that. Undefined for one that only looks, or only adds what was not there.
 */
export function changedPlaces(command: string, cwd: string): readonly string[] | undefined {
	if (command.length > longestCommand) return [asFolder(cwd)];
	const places = new Set<string>();
	try {
		collect(lexScript(command), { knowledge: startIn(cwd), places, depth: 0 });
	} catch (cause) {
		if (!(cause instanceof NestedTooDeep)) throw cause;
		places.add(asFolder(cwd));
	}
	return places.size === 0 ? undefined : [...places].slice(0, mostPaths);
}

interface Look {
	readonly knowledge: Knowledge;
	readonly places: Set<string>;
	readonly depth: number;
}

function startIn(cwd: string): Knowledge {
	return { variables: new Map(), choices: new Map(), cwd };
}

function collect(script: Script, look: Look): void {
	if (look.depth > deepest) throw new NestedTooDeep("Cannot read the command: scripts within scripts");
	for (const item of script) if (item.kind === "command") collectCommand(item, look);
}

function collectCommand(command: SimpleCommand, look: Look): void {
	const { knowledge, depth } = look;
	const words = [...command.words, ...command.redirections.map(({ target }) => target)];
	for (const script of words.flatMap(scriptsIn)) collect(script, { ...look, depth: depth + 1 });
	for (const redirection of command.redirections) {
		const target = overwritten(redirection, knowledge);
		if (target !== undefined) add(look, [target]);
	}
	const program = programOf(command.words.flatMap((word) => expandWord(word, knowledge)));
	collectProgram(program, look);
	const [folder] = program.args.filter((arg) => !/^-./.test(arg));
	if ((program.name === "cd" || program.name === "pushd") && folder !== undefined) {
		knowledge.cwd = absolute(folder, knowledge.cwd) ?? knowledge.cwd;
	}
}

function collectProgram(program: Program, look: Look): void {
	if (isDestructive(program)) add(look, program.args);
	for (const fields of program.name === "find" ? findCommands(program.args) : []) {
		collectProgram(programOf(fields), look);
	}
	const inside = scriptInside(program);
	if (inside !== undefined) collect(lexScript(inside), { ...look, depth: look.depth + 1 });
}

function isDestructive({ name, args }: Program): boolean {
	if (name === "tar") return args.some((arg) => /^(-?[a-zA-Z]*x|--extract|--get)/.test(arg));
	if (destructive.has(name)) return true;
	const pattern = Object.hasOwn(destructiveWith, name) ? destructiveWith[name] : undefined;
	return pattern !== undefined && args.some((arg) => pattern.test(arg));
}

/** The file whose content a redirection replaces or adds to; undefined for descriptors and devices. */
function overwritten({ operator, target }: Redirection, knowledge: Knowledge): string | undefined {
	if (!operator.includes(">")) return undefined;
	const path = joinWord(target, knowledge);
	return /^&?(\d+-?|-)$/.test(path) || /^\/dev\/(null|std|tty|fd|full|zero)/.test(path) ? undefined : path;
}

/** The folder of the command, and what is named outside of it. */
function add({ knowledge: { cwd }, places }: Look, named: readonly string[]): void {
	if (cwd === undefined) return;
	places.add(asFolder(cwd));
	for (const path of named) {
		const found = path.startsWith("-") ? undefined : absolute(path, cwd);
		if (found !== undefined && !`${found}/`.startsWith(asFolder(cwd))) places.add(found);
	}
}

function absolute(path: string, cwd: string | undefined): string | undefined {
	if (path.startsWith(homeMark)) return `~${path.slice(homeMark.length)}`.replace(/\/$/, "");
	if (path.includes(unknownMark) || path.includes("\0") || cwd === undefined) return undefined;
	return cwd.startsWith("~") ? undefined : posix.resolve(cwd, path);
}

function asFolder(path: string): string {
	return path.endsWith("/") ? path : `${path}/`;
}
