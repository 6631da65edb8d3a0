/** Which files a search leaves out where no program does it: those that `.gitignore` and `.ignore` name. */

import { posix } from "node:path";
import type { FilePlace } from "../place.ts";
import { runScript } from "../run-script.ts";
import { type IgnoreRule, parseIgnoreFile, verdictOf } from "./ignore-rules.ts";
import { ignoreFilesScript } from "./ignore-script.ts";

/** Tells of an absolute path of a file whether it is left out. */
export type IsIgnored = (path: string) => boolean;

/** The rules of one folder, those of its `.gitignore` only where it is in a repository. */
interface FolderRules {
	readonly isTop: boolean;
	/** The stronger ones last. */
	readonly own: readonly IgnoreRule[];
	readonly git: readonly IgnoreRule[];
}

const answerBytes = 4 * 1024 * 1024;
const seconds = 20;

/** Reads the ignore files that have a say on `paths`, which are absolute files at or below the searched `base`. */
export async function readIgnoreFiles(place: FilePlace, base: string, paths: readonly string[]): Promise<IsIgnored> {
	const folders = new Set<string>();
	for (const path of paths) addFolders(folders, posix.dirname(path));
	const list = [...folders];
	const { fields } = await runScript(place, {
		script: ignoreFilesScript,
		args: [],
		// One with a line end in its name cannot be asked about; the number of the others stays the same.
		stdin: list.map((folder) => `${folder.includes("\n") ? "" : folder}\n`).join(""),
		answerBytes,
		timeoutSeconds: seconds,
	});
	const rules = new Map<string, FolderRules>();
	for (const [index, folder] of list.entries()) {
		const text = (kind: string) => parseIgnoreFile(fields.get(`${index + 1}.${kind}`) ?? "");
		const git = [...text("exclude"), ...text("gitignore")];
		rules.set(folder, { isTop: fields.has(`${index + 1}.git`), own: text("ignore"), git });
	}
	return createIsIgnored(base, rules);
}

function addFolders(folders: Set<string>, folder: string): void {
	for (let at = folder; !folders.has(at); at = posix.dirname(at)) folders.add(at);
}

function createIsIgnored(base: string, rules: ReadonlyMap<string, FolderRules>): IsIgnored {
	const known = new Map<string, boolean>();
	const isFolderIgnored = (folder: string): boolean => {
		// A folder that somebody asks to search is not left out, whatever is said of it.
		if (folder === base || folder === "/") return false;
		const before = known.get(folder);
		if (before !== undefined) return before;
		// Nothing brings back what is in a folder that is left out.
		const verdict = isFolderIgnored(posix.dirname(folder)) || isNamed(rules, folder, true);
		known.set(folder, verdict);
		return verdict;
	};
	return (path) => isFolderIgnored(posix.dirname(path)) || isNamed(rules, path, false);
}

/** Whether the nearest ignore file that has a word on `path` ignores it. */
function isNamed(rules: ReadonlyMap<string, FolderRules>, path: string, isFolder: boolean): boolean {
	let gitVerdict: boolean | undefined;
	let isInRepository = false;
	let ownVerdict: boolean | undefined;
	for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
		const { own = [], git = [], isTop = false } = rules.get(folder) ?? {};
		const relative = path.slice(folder === "/" ? 1 : folder.length + 1);
		ownVerdict ??= verdictOf(own, relative, isFolder);
		if (!isInRepository) gitVerdict ??= verdictOf(git, relative, isFolder);
		isInRepository ||= isTop;
		if (folder === "/") break;
	}
	return ownVerdict ?? (isInRepository && gitVerdict === true);
}
