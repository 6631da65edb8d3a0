/** A git repository and a session in it on this machine, for one test of worktrees. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../../../lib/environments/shell/execute.ts";
import type { FilePlace } from "../../../lib/files/place.ts";
import { discardChange, listChanges, type Merged, mergeChange } from "../../../lib/files/worktrees/merge.ts";
import type { RepositoryRefused } from "../../../lib/files/worktrees/run-in-repository.ts";
import {
	finishWorktree,
	type KeptWork,
	type OpenedWorktree,
	openWorktree,
} from "../../../lib/files/worktrees/worktree.ts";
import { openLocal, openLocalShell, plainEnvironment } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { filesIn, writeFiles } from "../checkpoints/checkpoint-scene.ts";

export interface WorktreeScene extends AsyncDisposable {
	readonly place: Pick<FilePlace, "execute">;
	/** The repository, with one commit of `a.txt`, `b.txt` and `sub/c.txt`. */
	readonly root: string;
	/** The folder that the repository is in. */
	readonly outside: string;
	/** Writes files below `folder`, the repository when left out; null removes one. */
	write(files: Readonly<Record<string, string | Uint8Array | null>>, folder?: string): void;
	/** The files of the parent and their content, without `.git` and worktrees. */
	files(): Record<string, string>;
	git(...args: string[]): string;
	gitIn(folder: string, ...args: string[]): string;
	/** Everything that a parent could see of its repository: files, index, branches and references of its own. */
	state(): Record<string, unknown>;
	open(id: string, cwd?: string): Promise<OpenedWorktree>;
	/** @throws {Error} When there is nothing to keep. */
	finish(id: string): Promise<KeptWork>;
	merge(id: string): Promise<Merged | RepositoryRefused>;
	discard(id: string): Promise<{ readonly ok: true } | RepositoryRefused>;
	/** `ID STATE` of all that are there. */
	changes(): Promise<string[]>;
}

/** Opens one; an empty folder when `isEmpty`. `git` is the program. */
export async function openWorktreeScene(options: { isEmpty?: boolean; git?: string } = {}): Promise<WorktreeScene> {
	await using opening = new AsyncDisposableStack();
	const outside = opening.use(temporaryFolder()).path;
	const root = join(outside, "the project");
	mkdirSync(root);
	const sandbox = opening.use(await openLocal());
	const environment = { ...plainEnvironment, HOME: outside, GIT_INDEX_FILE: "/nonexistent/index" };
	const shell = opening.use(await openLocalShell(sandbox, { cwd: root, environment }));
	const { signal } = new AbortController();
	const place: WorktreeScene["place"] = {
		execute: (command, options) => execute(shell, command, { signal, ...options }),
	};
	const git = (...args: string[]) => run(["git", ...args], root);
	const program = options.git === undefined ? {} : { git: options.git };
	if (options.isEmpty !== true) {
		git("init", "-q", "-b", "main");
		writeFiles(root, { "a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "b\n", "sub/c.txt": "c\n" });
		git("add", "-A");
		git("commit", "-q", "-m", "first");
	}
	const opened = opening.move();
	return {
		place,
		root,
		outside,
		write: (files, folder = root) => writeFiles(folder, files),
		files: () => withoutWorktrees(filesIn(root)),
		git,
		gitIn: (folder, ...args) => run(["git", ...args], folder),
		state: () => ({
			files: withoutWorktrees(filesIn(root)),
			status: git("status", "--porcelain=v2", "--branch"),
			staged: git("ls-files", "--stage"),
			stash: git("stash", "list"),
			head: git("symbolic-ref", "HEAD"),
			log: git("log", "--format=%H %s"),
		}),
		async open(id, cwd = root) {
			const opened = await openWorktree(place, { cwd, id, owner: "test", ...program });
			if (!opened.ok) throw new Error(opened.error);
			return opened;
		},
		async finish(id) {
			const kept = await finishWorktree(place, { cwd: root, id, ...program });
			if (!kept.ok) throw new Error(kept.error);
			if (kept.isUnchanged) throw new Error("nothing was changed");
			return kept;
		},
		merge: (id) => mergeChange(place, { cwd: root, id, ...program }),
		discard: (id) => discardChange(place, { cwd: root, id, ...program }),
		async changes() {
			const listed = await listChanges(place, { cwd: root, ...program });
			if (!listed.ok) throw new Error(listed.error);
			return listed.changes.map(({ id, state }) => `${id} ${state}`);
		},
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}

function withoutWorktrees(files: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith(".hermes-worktrees/")));
}

function run(command: readonly string[], cwd: string): string {
	const person = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
	const env = { ...plainEnvironment, ...person, GIT_CONFIG_GLOBAL: "/dev/null" };
	const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env });
	if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
	return stdout.toString().trimEnd();
}
