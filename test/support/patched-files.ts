/** Files before and after one patch that changes, makes, deletes and moves, for tests in which something goes wrong on the way. */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyFolder } from "./killed-scripts.ts";

/** Contents by path. */
export type Files = Readonly<Record<string, string>>;

export const before: Files = { "a.txt": "one\ntwo\n", "sub/b.txt": "b\n", "gone.txt": "g\n", "old name": "moved\n" };
export const after: Files = {
	"a.txt": "one\nTWO\n",
	"sub/b.txt": "b\n",
	"new/deep/c.txt": "c\n",
	"sub/new name": "moved\n",
};
/** From `before` to `after`. */
export const patch = [
	"*** Begin Patch",
	"*** Update File: a.txt",
	"-two",
	"+TWO",
	"*** Add File: new/deep/c.txt",
	"+c",
	"*** Delete File: gone.txt",
	"*** Move File: old name -> sub/new name",
	"*** End Patch",
].join("\n");
/** Changes nothing; but every patch looks first for what another one left behind. */
export const nextPatch = "*** Begin Patch\n*** Delete File: none\n*** End Patch";

/** Makes `folder` hold `files` and nothing else. */
export function put(folder: string, files: Files): void {
	emptyFolder(folder);
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
}

/** Everything below `folder`. */
export function filesIn(folder: string): Record<string, string> {
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
	const files = names.filter((name) => statSync(join(folder, name)).isFile());
	return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Files that are neither old nor new. */
export function torn(files: Files, [old, fresh]: readonly [Files, Files] = [before, after]): string[] {
	const isWhole = ([path, text]: [string, string]) =>
		path.includes(".hermes-tmp.") || text === Reflect.get(old, path) || text === Reflect.get(fresh, path);
	return Object.entries(files).flatMap((entry) => (isWhole(entry) ? [] : [entry[0]]));
}

/** Journals of patches that are not done. */
export function journalsIn(home: string): string[] {
	const folder = join(home, ".hermes/patches");
	return existsSync(folder) ? readdirSync(folder) : [];
}
