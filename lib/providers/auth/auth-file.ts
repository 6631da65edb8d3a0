/** `auth.json` of the hermes home: keys that were added by hand or by a login, never in a file that others can read. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import { takeFileLock } from "../../base/file-lock.ts";
import { readText } from "../../config/files.ts";

const storedKey = z.looseObject({
	id: z.string().min(1),
	label: z.string(),
	auth_type: z.enum(["api_key", "oauth"]),
	/** The lowest is used first. */
	priority: z.number().default(0),
	/** `manual`, or the way of the login. */
	source: z.string().default("manual"),
	access_token: z.string().min(1),
	base_url: z.string().nullish(),
});

/** Fields that another program put there stay as they are. */
const authFile = z.looseObject({
	version: z.number().default(1),
	credential_pool: z.record(z.string(), z.array(storedKey)).default({}),
});

/** A key in the file. */
export type StoredKey = z.output<typeof storedKey>;
/** All of the file. */
export type AuthFile = z.output<typeof authFile>;

/** The file is there and is not what it should be. Its text is secret, so that no parser's words are in the message. */
export class AuthFileBroken extends Error {
	override readonly name = "AuthFileBroken";
}

/** Somebody who holds the lock this long is stuck. */
const lockLimitMs = 15_000;

/** Where it is. */
function authPath(home: string): string {
	return join(home, "auth.json");
}

/**
 * Empty when there is no file.
 * @throws {AuthFileBroken}
 */
export function readAuthFile(home: string): AuthFile {
	const text = readText(authPath(home));
	return text === undefined || text.trim() === "" ? authFile.parse({}) : parse(authPath(home), text);
}

/**
 * Puts what `change` makes of the file in its place. Processes that do it at the same time wait for each other, and each
 * begins with what the one before it wrote.
 * @throws {AuthFileBroken}
 */
export async function changeAuthFile(home: string, change: (file: AuthFile) => AuthFile): Promise<void> {
	mkdirSync(home, { recursive: true, mode: 0o700 });
	using _lock = await takeFileLock(join(home, ".auth.lock"), AbortSignal.timeout(lockLimitMs));
	const changed = change(readAuthFile(home));
	writeFileAtomically(authPath(home), `${JSON.stringify(changed, null, 2)}\n`, { newMode: 0o600, keptBits: 0o600 });
}

function parse(path: string, text: string): AuthFile {
	try {
		return authFile.parse(JSON.parse(text));
	} catch (cause) {
		const where = cause instanceof z.ZodError ? ` at ${cause.issues[0]?.path.join(".") || "the top"}` : "";
		throw new AuthFileBroken(`Cannot read "${path}": it is not what hermes writes${where}; repair or remove it`);
	}
}
