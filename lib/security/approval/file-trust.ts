/** Whether a file that decides what may run can have been written by somebody else. */

import { statSync } from "node:fs";
import { attempt } from "../../base/attempt.ts";

/** Why the file at `path` is not believed; undefined when it is ours alone, or not there. */
export function trustProblem(path: string): string | undefined {
	if (process.platform === "win32") return undefined;
	const found = attempt(() => statSync(path, { throwIfNoEntry: false }));
	if (!found.ok) return `"${path}" cannot be looked at`;
	if (found.value === undefined) return undefined;
	const { uid, mode } = found.value;
	// Root may have laid it out for us; it could do anything anyway.
	if (uid !== process.getuid?.() && uid !== 0) return `"${path}" belongs to another user`;
	if ((mode & 0o002) !== 0) return `every user can write "${path}"; run chmod 600 on it`;
	// Many systems give each user a group of their own and let it write.
	return undefined;
}
