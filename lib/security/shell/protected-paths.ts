/** Whether a path, with its globs, names a folder without which the machine or the user has nothing left. */

import { homeMark, unknownMark, userMark } from "./fields.ts";

/** Folders of the system; deleting one of them, or all it holds, is never meant. */
const systemFolders = ["/home", "/users", "/root", "/etc", "/usr", "/var", "/bin", "/sbin", "/boot", "/lib", "/lib64"];
/** A glob that fits all of these fits everything. */
const samples = ["a", "bin", "some-name.d"];

/**
 * `path` is `/`, a system folder or a home, or a glob for everything in one of them. Relative paths are taken from
 * `cwd`; without it they name nothing. `home` is the real home, when it is known.
 */
export function isProtected(path: string, cwd: string | undefined, home?: string): boolean {
	const parts = absoluteParts(path, cwd);
	if (parts === undefined) return false;
	const folders = [
		...systemFolders,
		homeMark,
		`/home/${userMark}`,
		`/users/${userMark}`,
		...(home === undefined ? [] : [home]),
	];
	return [[], ...folders.map((folder) => splitPath(folder))].some((folder) => covers(parts, folder));
}

/** `path` as seen from `cwd`, lower case, without `.`, `..` and empty parts; undefined when it cannot be known. */
export function absoluteParts(path: string, cwd: string | undefined): string[] | undefined {
	if (path.startsWith("/")) return splitPath(path);
	if (cwd === undefined || path === "" || path.startsWith(unknownMark)) return undefined;
	return splitPath(`${cwd}/${path}`);
}

function splitPath(path: string): string[] {
	const parts: string[] = [];
	for (const part of path.toLowerCase().split("/")) {
		if (part === "..") parts.pop();
		else if (part !== "" && part !== ".") parts.push(part);
	}
	return parts;
}

function covers(parts: readonly string[], folder: readonly string[]): boolean {
	if (parts.length < folder.length || parts.length > folder.length + 1) return false;
	if (!folder.every((name, index) => globMatches(parts[index] ?? "", name))) return false;
	const last = parts[folder.length];
	return last === undefined || samples.every((sample) => globMatches(last, sample));
}

/** Shell glob against one name: `*`, `?` and `[…]`. Remembers one star only, so it never goes exponential. */
function globMatches(glob: string, name: string): boolean {
	let at = 0;
	let star = -1;
	let starName = 0;
	for (let index = 0; index < name.length; ) {
		const step = matchOne(glob, at, name[index] ?? "");
		if (step > 0) {
			at += step;
			index++;
		} else if (glob[at] === "*") {
			star = at++;
			starName = index;
		} else if (star >= 0) {
			at = star + 1;
			index = ++starName;
		} else return false;
	}
	while (glob[at] === "*") at++;
	return at === glob.length;
}

/** How many characters of `glob` match `char`; 0 when they do not. */
function matchOne(glob: string, at: number, char: string): number {
	const wanted = glob[at];
	if (wanted === undefined || wanted === "*") return 0;
	if (wanted === "?") return 1;
	if (wanted !== "[") return wanted === char ? 1 : 0;
	const end = glob.indexOf("]", at + 2);
	if (end < 0) return wanted === char ? 1 : 0;
	const inside = glob.slice(at + 1, end);
	const negated = inside.startsWith("!") || inside.startsWith("^");
	return inClass(negated ? inside.slice(1) : inside, char) === negated ? 0 : end - at + 1;
}

function inClass(inside: string, char: string): boolean {
	if (inside.startsWith("[:")) return /[a-z0-9]/.test(char);
	for (let index = 0; index < inside.length; index++) {
		const isRange = inside[index + 1] === "-" && inside[index + 2] !== undefined;
		const low = inside[index] ?? "";
		const high = isRange ? (inside[index + 2] ?? "") : low;
		if (char >= low && char <= high) return true;
		if (isRange) index += 2;
	}
	return false;
}
