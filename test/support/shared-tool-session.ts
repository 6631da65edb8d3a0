/** One folder and one session for all tests of a file. */

import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";
import { openToolSession, type ToolSession } from "./tool-session.ts";

/** Both are there while tests run, and gone after the last. */
export interface SharedToolSession {
	readonly folder: { readonly path: string };
	readonly session: ToolSession;
	/** The path of `name` in the folder. */
	at(name: string): string;
}

/** Opens them before the tests of the file that calls this, and closes them afterwards. */
export function sharedToolSession(): SharedToolSession {
	let folder: ReturnType<typeof temporaryFolder> | undefined;
	let session: ToolSession | undefined;
	beforeAll(async () => {
		folder = temporaryFolder();
		session = await openToolSession(folder.path);
	});
	afterAll(async () => {
		await session?.[Symbol.asyncDispose]();
		folder?.[Symbol.dispose]();
	});
	const opened = <T>(value: T | undefined): T => {
		if (value === undefined) throw new Error("Cannot use the shared session: no test runs");
		return value;
	};
	return {
		get folder() {
			return opened(folder);
		},
		get session() {
			return opened(session);
		},
		at: (name) => join(opened(folder).path, name),
	};
}
