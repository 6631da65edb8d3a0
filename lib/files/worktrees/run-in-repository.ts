/** Running a script about a repository, and the ways in which it may say no. */

import { reasonOf } from "../../base/attempt.ts";
import { BackendUnavailable } from "../../environments/backend.ts";
import type { FilePlace } from "../place.ts";
import { bytesField, runScript } from "../run-script.ts";

/** What did not happen, and why. */
export interface RepositoryRefused {
	readonly ok: false;
	readonly code: "no_git" | "old_git" | "no_repository" | "no_change" | "unfinished" | "too_slow" | "failed";
	/** One line. */
	readonly error: string;
}

/** What a script emitted. */
export interface RepositoryAnswer {
	readonly ok: true;
	readonly fields: ReadonlyMap<string, string>;
}

/** A script that begins with `repositoryScript`. */
export interface RepositoryCall {
	/** What is being done, for messages: `open a worktree of "/a/b"`. */
	readonly act: string;
	readonly script: string;
	readonly args: readonly string[];
	/** The program; `git` when left out. */
	readonly git?: string | undefined;
	readonly timeoutSeconds?: number;
}

/** A checkout of a large project on a slow disk. */
const usualSeconds = 300;
const answerBytes = 16 * 1024 * 1024;

/**
 * Runs `call` in `place`.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function runInRepository(
	place: Pick<FilePlace, "execute">,
	{ act, script, args, git = "git", timeoutSeconds = usualSeconds }: RepositoryCall,
): Promise<RepositoryAnswer | RepositoryRefused> {
	const refused = (code: RepositoryRefused["code"], why: string): RepositoryRefused => ({
		ok: false,
		code,
		error: `Cannot ${act}: ${why}`,
	});
	try {
		const { fields, timedOut } = await runScript(place, { script, args: [git, ...args], timeoutSeconds, answerBytes });
		const known = refusals.find(([field]) => fields.has(field));
		if (known !== undefined) return refused(known[1], known[2](fields.get(known[0]) ?? ""));
		const failed = fields.get("failed");
		if (failed !== undefined) return refused("failed", failed.replace(/\s+/g, " ").trim() || "git does not say why");
		return timedOut ? refused("too_slow", `it took longer than ${timeoutSeconds} seconds`) : { ok: true, fields };
	} catch (cause) {
		if (cause instanceof BackendUnavailable) throw cause;
		return refused("failed", reasonOf(cause));
	}
}

const noChange =
	"there is none of this id; it was merged or discarded before, nothing was changed, or it was in a sandbox that has ended with its process";

const refusals: readonly [field: string, code: RepositoryRefused["code"], why: (said: string) => string][] = [
	["no_git", "no_git", () => "there is no git there; install it"],
	["old_git", "old_git", (version) => `${version} is too old; 2.17 is needed`],
	["no_repository", "no_repository", () => "the folder is in no git repository; `git init` makes one"],
	["no_change", "no_change", () => noChange],
	["unfinished", "unfinished", () => "the sub-agent has not finished it"],
];

/** The paths that a script emitted under `key`, each ended by a NUL there. */
export function pathsIn(fields: ReadonlyMap<string, string>, key: string): string[] {
	const text = Buffer.from(bytesField(fields, key)).toString("utf8");
	return text.split("\0").filter((path) => path !== "");
}
