/** The folder that all changes of files are kept to, where the user has named one. */

import { isAtOrBelow } from "../security/path-safety.ts";
import type { FilePlace } from "./place.ts";

/** Why the file at `path` (absolute, links followed) may not be changed; undefined when it may, or nothing is named. */
export function outsideSafeRoot({ settings }: FilePlace, path: string): string | undefined {
	const root = settings?.variables.HERMES_WRITE_SAFE_ROOT ?? "";
	if (root === "" || isAtOrBelow(path, root.replace(/(?<=.)\/+$/, ""))) return undefined;
	return `HERMES_WRITE_SAFE_ROOT keeps changes to ${root}`;
}
