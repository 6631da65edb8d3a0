/** Taking over a change into the parent's files, throwing one away, and what there is. */

import type { FilePlace } from "../place.ts";
import { bytesField, numberField } from "../run-script.ts";
import { pathsIn, type RepositoryRefused, runInRepository } from "./run-in-repository.ts";
import { discardScript, filesScript, listScript, mergeScript } from "./scripts/merge-script.ts";
import type { ChangeRef } from "./worktree.ts";

/** One file in conflict, relative to the top of the repository. */
export interface Conflict {
	readonly path: string;
	/** In a few words. */
	readonly reason: string;
}

/** What came of a merge. With conflicts nothing was written. */
export type Merged =
	| {
			readonly ok: true;
			readonly kind: "merged";
			/** What was written or removed, relative to `top`. */
			readonly files: readonly string[];
			readonly top: string;
			/** The worktree, where that is kept because it has what git could not take, and what that is. */
			readonly stays?: { readonly folder: string; readonly left: readonly string[] };
	  }
	| { readonly ok: true; readonly kind: "conflicts"; readonly conflicts: readonly Conflict[] };

/**
 * Merges the change into the files of the repository that `cwd` is in, committed or not, and removes its worktree and branch. The index
 * stays as it is, so the change is there like an edit that nobody has staged. With conflicts, or when files change meanwhile, nothing is
 * written and the change is kept.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function mergeChange(
	place: Pick<FilePlace, "execute">,
	{ cwd, id, git }: ChangeRef,
): Promise<Merged | RepositoryRefused> {
	const act = `merge the changes of "${id}" into "${cwd}"`;
	const answer = await runInRepository(place, { act, script: mergeScript, args: [cwd, id], git });
	if (!answer.ok) return answer;
	const { fields } = answer;
	const moved = fields.get("moved");
	if (moved !== undefined) {
		return {
			ok: false,
			code: "failed",
			error: `Cannot ${act}: files changed while it was merged; try again (${moved})`,
		};
	}
	const conflicts = conflictsIn(fields);
	if (conflicts !== undefined) return { ok: true, kind: "conflicts", conflicts };
	const folder = fields.get("stays");
	return {
		ok: true,
		kind: "merged",
		files: pathsIn(fields, "merged"),
		top: fields.get("top") ?? "",
		...(folder !== undefined && { stays: { folder, left: pathsIn(fields, "left") } }),
	};
}

function conflictsIn(fields: ReadonlyMap<string, string>): Conflict[] | undefined {
	if (fields.has("conflicts")) return saidByGit(Buffer.from(bytesField(fields, "conflicts")).toString("utf8"));
	for (const [key, reason] of reasons) {
		if (fields.has(key)) return pathsIn(fields, key).map((path) => ({ path, reason }));
	}
	return undefined;
}

const reasons: readonly (readonly [key: string, reason: string])[] = [
	["blocked", "a file of this name that git ignores is in the way"],
	["unmerged", "both have changed it"],
];

/**
 * The answer of `git merge-tree -z --name-only`: the tree, the paths, an empty field, then messages, each of them the number of its
 * paths, these, its kind and its text.
 */
function saidByGit(text: string): Conflict[] {
	const fields = text.split("\0");
	const end = fields.indexOf("", 1);
	const paths = [...new Set(fields.slice(1, end === -1 ? undefined : end))];
	const why = new Map<string, string>();
	for (let at = end + 1; end !== -1 && at < fields.length; ) {
		const count = Number(fields[at]);
		if (!(count > 0)) break;
		const kind = /^CONFLICT \((.*)\)/.exec(fields[at + count + 1] ?? "")?.[1];
		for (const path of fields.slice(at + 1, at + 1 + count)) {
			// Git goes on to call it a conflict of contents, whose lines nobody could compare.
			if (kind !== undefined && why.get(path) !== "binary") why.set(path, kind);
		}
		at += count + 3;
	}
	return paths.map((path) => ({ path: path.replace(/~[0-9a-f]{40}$/, ""), reason: inWords(why.get(path) ?? "") }));
}

/** Git's kinds of conflicts. */
function inWords(kind: string): string {
	if (kind.startsWith("content")) return "both have changed the same lines";
	if (kind === "modify/delete") return "one has changed it, the other has removed it";
	if (kind === "add/add") return "both have made it";
	if (kind === "binary") return "both have changed it, and it is no text";
	return kind === "" ? "both have changed it" : `both have changed it (${kind})`;
}

/**
 * The files that a merge of the change may write or remove, absolute; none when nothing is known of it.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function changedFiles(
	place: Pick<FilePlace, "execute">,
	{ cwd, id, git }: ChangeRef,
): Promise<readonly string[]> {
	const answer = await runInRepository(place, { act: "look", script: filesScript, args: [cwd, id], git });
	if (!answer.ok) return [];
	const top = (answer.fields.get("top") ?? "").replace(/\/$/, "");
	return pathsIn(answer.fields, "files").map((file) => `${top}/${file}`);
}

/**
 * Removes the change with its worktree and its branch.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function discardChange(
	place: Pick<FilePlace, "execute">,
	{ cwd, id, git }: ChangeRef,
): Promise<{ readonly ok: true } | RepositoryRefused> {
	const act = `discard the changes of "${id}"`;
	const answer = await runInRepository(place, { act, script: discardScript, args: [cwd, id], git });
	return answer.ok ? { ok: true } : answer;
}

/** A change as it is noted in its repository. */
export interface NotedChange {
	readonly id: string;
	/** Who must run for it not to be a leftover. */
	readonly owner: string;
	/** `open` while its sub-agent works, `merged` where only the worktree is left. */
	readonly state: "open" | "kept" | "merged";
	/** Its worktree; empty where it has none. */
	readonly folder: string;
	/** The worktree is there. */
	readonly exists: boolean;
	/** Where it is to go. */
	readonly top: string;
	/** Who can find the sandbox of a copy again, in words of whoever opened it; empty for a worktree. */
	readonly holder: string;
	/** Where the copy is in its sandbox; empty while there is none. */
	readonly far: string;
	/** Names in the copy that need not come back. */
	readonly skip: readonly string[];
}

/**
 * All changes in the repository that `cwd` is in, and all of folders that are in none.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function listChanges(
	place: Pick<FilePlace, "execute">,
	{ cwd, git }: Omit<ChangeRef, "id">,
): Promise<{ readonly ok: true; readonly changes: readonly NotedChange[] } | RepositoryRefused> {
	const act = `look for changes in "${cwd}"`;
	const answer = await runInRepository(place, { act, script: listScript, args: [cwd], git, timeoutSeconds: 30 });
	if (!answer.ok) return answer;
	const { fields } = answer;
	const changes = Array.from({ length: numberField(fields, "count") }, (_, index): NotedChange => {
		const field = (name: string) => fields.get(`${index + 1}.${name}`) ?? "";
		const state = (["kept", "merged"] as const).find((known) => known === field("state")) ?? "open";
		const about = { id: field("id"), owner: field("owner"), folder: field("folder"), top: field("top") };
		const copy = { holder: field("holder"), far: field("far"), skip: field("skip").split(" ").filter(Boolean) };
		return { ...about, ...copy, state, exists: field("exists") === "1" };
	});
	return { ok: true, changes };
}
