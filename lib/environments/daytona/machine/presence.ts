/** Which processes of this machine use a sandbox: the last one to leave stops it. */

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tryFileLock } from "../../../base/file-lock.ts";

/** Our use of a sandbox, until it is disposed of. */
export interface Presence extends Disposable {
	/** Whether nobody else uses it. */
	isAlone(): boolean;
}

/** Says that we use the sandbox `id`, in a file of `home` whose lock ends with this process, however that ends. */
export function announce(home: string, id: string): Presence {
	const folder = join(home, "sandboxes", "daytona", id.replace(/[^\w.-]/g, "_"));
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const own = `${crypto.randomUUID()}.lock`;
	const lock = tryFileLock(join(folder, own));
	return {
		isAlone: () => readdirSync(folder).every((name) => name === own || !name.endsWith(".lock") || isLeft(folder, name)),
		[Symbol.dispose]() {
			lock?.[Symbol.dispose]();
			rmSync(join(folder, own), { force: true });
		},
	};
}

/** Whether nobody holds it any more; then it is removed. */
function isLeft(folder: string, name: string): boolean {
	const lock = tryFileLock(join(folder, name));
	if (lock === undefined) return false;
	lock[Symbol.dispose]();
	rmSync(join(folder, name), { force: true });
	return true;
}
