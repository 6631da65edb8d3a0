/** A git worktree for one sub-agent: made with the parent's files as they are, and kept as one commit when it has changes. */

import type { FilePlace } from "../place.ts";
import { pathsIn, type RepositoryRefused, runInRepository } from "./run-in-repository.ts";
import { finishScript } from "./scripts/finish-script.ts";
import { openScript } from "./scripts/open-script.ts";

/** Which change of which repository. */
export interface ChangeRef {
	/** A folder of the repository, absolute, as the place sees it. */
	readonly cwd: string;
	/** Names the change; letters, digits, `-`, `_` and `.`. */
	readonly id: string;
	/** The program; `git` when left out. */
	readonly git?: string;
}

/** A worktree that was made. Paths are absolute. */
export interface OpenedWorktree {
	readonly ok: true;
	/** The worktree itself. */
	readonly folder: string;
	/** The same folder of the project as the one that was named. */
	readonly cwd: string;
	/** The parent's folder of files. */
	readonly top: string;
	readonly branch: string;
	/** The commit that it starts from. */
	readonly base: string;
	/** There were changes that were not committed; the worktree has them. */
	readonly hasUncommitted: boolean;
	/** What the parent has and the worktree has not, relative to `top`: too large, not readable, or a repository of its own. */
	readonly left: readonly string[];
}

/** What a sub-agent has changed. */
export interface KeptWork {
	readonly ok: true;
	readonly isUnchanged: false;
	readonly branch: string;
	readonly base: string;
	/** The commit that holds it. */
	readonly result: string;
	/** The worktree; empty when it is gone. */
	readonly folder: string;
	/** The git directory that holds it, where the files are in no repository of the user's; else empty. */
	readonly store: string;
	/** As `git diff --stat` shows it. */
	readonly stat: string;
	/** Relative to the top of the repository. */
	readonly files: readonly string[];
	/** What is not in the commit: too large, not readable, or a repository of its own. */
	readonly left: readonly string[];
}

/** There was nothing to keep, and everything that was made for it is removed. */
export interface NoWork {
	readonly ok: true;
	readonly isUnchanged: true;
}

/**
 * Makes the worktree `id` of the repository that `cwd` is in, on a branch of its own. It has the parent's files as they are now, also
 * what was not committed, but not what `.gitignore` names, and no file with secrets that git does not know. The parent's files, index
 * and branches stay as they are. `owner` says who must run for it not to be a leftover.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function openWorktree(
	place: Pick<FilePlace, "execute">,
	{ cwd, id, git, owner }: ChangeRef & { readonly owner: string },
): Promise<OpenedWorktree | RepositoryRefused> {
	const act = `open a worktree of "${cwd}"`;
	const answer = await runInRepository(place, { act, script: openScript, args: [cwd, id, owner], git });
	if (!answer.ok) return answer;
	const { fields } = answer;
	const field = (name: string) => fields.get(name) ?? "";
	return {
		ok: true,
		folder: field("folder"),
		cwd: field("cwd"),
		top: field("top"),
		branch: field("branch"),
		base: field("base"),
		hasUncommitted: fields.has("uncommitted"),
		left: pathsIn(fields, "left"),
	};
}

/**
 * Keeps what is in the worktree as a commit on its branch, or removes it all when nothing was changed.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function finishWorktree(
	place: Pick<FilePlace, "execute">,
	{ cwd, id, git }: ChangeRef,
): Promise<KeptWork | NoWork | RepositoryRefused> {
	const act = `keep the changes of "${id}"`;
	const answer = await runInRepository(place, { act, script: finishScript, args: [cwd, id], git });
	return answer.ok ? workIn(answer.fields) : answer;
}

/** What a script that ended with `tell_result` has said. */
export function workIn(fields: ReadonlyMap<string, string>): KeptWork | NoWork {
	if (fields.has("unchanged")) return { ok: true, isUnchanged: true };
	const field = (name: string) => fields.get(name) ?? "";
	return {
		ok: true,
		isUnchanged: false,
		branch: field("branch"),
		base: field("base"),
		result: field("result"),
		folder: field("folder"),
		store: field("store"),
		stat: field("stat").trimEnd(),
		files: pathsIn(fields, "files"),
		left: pathsIn(fields, "left"),
	};
}
