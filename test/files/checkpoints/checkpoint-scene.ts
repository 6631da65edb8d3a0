/** A project, a store and a session on this machine, for one test of checkpoints. */

import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { execute } from "../../../lib/environments/shell/execute.ts";
import type { EditPlace } from "../../../lib/files/checkpoints/edit-guard.ts";
import { type Checkpoint, listCheckpoints } from "../../../lib/files/checkpoints/history.ts";
import type { CheckpointLimits, CheckpointStore } from "../../../lib/files/checkpoints/limits.ts";
import { type Restored, type RestoreOptions, restoreCheckpoint } from "../../../lib/files/checkpoints/restore.ts";
import { type Taken, type TakeOptions, takeCheckpoint } from "../../../lib/files/checkpoints/take.ts";
import { openLocal, openLocalShell, plainEnvironment } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What the settings say when nothing is set. */
export const usualLimits: CheckpointLimits = {
	maxSnapshots: 20,
	maxTotalMegabytes: 500,
	maxFileMegabytes: 10,
	retentionDays: 7,
	autoPrune: true,
	deleteOrphans: true,
	timeoutSeconds: 60,
};

/** One project and everything around it. */
export interface CheckpointScene extends AsyncDisposable {
	readonly place: EditPlace;
	readonly store: CheckpointStore & { readonly folder: string };
	/** The project, empty at first. */
	readonly root: string;
	/** The folder that the project and the store are in. */
	readonly outside: string;
	/** Writes files of the project; null removes one. Text that begins with `-> ` is where a link points. */
	write(files: Readonly<Record<string, string | Uint8Array | null>>): void;
	/** Every file of the project and its content, without `.git`. */
	files(): Record<string, string>;
	git(...args: string[]): string;
	take(options?: Partial<TakeOptions>): Promise<Taken>;
	list(): Promise<readonly Checkpoint[]>;
	/** Brings the project back to the checkpoint `commit`, the oldest when left out. */
	restore(options?: Partial<RestoreOptions> & { readonly commit?: string | undefined }): Promise<Restored>;
	/** The names that are in a checkpoint. */
	kept(commit: string | undefined): string[];
	/** The content of a file in a checkpoint. */
	content(commit: string | undefined, name: string): Uint8Array;
	/** What `git fsck` says against the store. */
	faults(): string;
}

/** Opens one; `variables` are what the session's commands see besides the usual. */
export async function openCheckpointScene(variables: Readonly<Record<string, string>> = {}): Promise<CheckpointScene> {
	await using opening = new AsyncDisposableStack();
	const outside = opening.use(temporaryFolder()).path;
	const root = join(outside, "project");
	mkdirSync(root);
	const sandbox = opening.use(await openLocal());
	const environment = { ...plainEnvironment, HOME: outside, ...variables };
	const shell = opening.use(await openLocalShell(sandbox, { cwd: root, environment }));
	const { signal } = new AbortController();
	const place: EditPlace = {
		execute: (command, options) => execute(shell, command, { signal, ...options }),
		cwd: root,
		ranOn: "local",
	};
	const store = { folder: join(outside, "home/checkpoints") };
	const inStore = (...args: string[]) => run(["git", `--git-dir=${store.folder}/store`, ...args], outside);
	const opened = opening.move();
	const scene: CheckpointScene = {
		place,
		store,
		root,
		outside,
		write: (files) => writeFiles(root, files),
		files: () => filesIn(root),
		git: (...args) =>
			run(["git", ...args], root)
				.toString()
				.trim(),
		async take(options) {
			const taken = await takeCheckpoint(place, store, { root, reason: "test", limits: usualLimits, ...options });
			if (!taken.ok) throw new Error(taken.error);
			return taken;
		},
		async list() {
			const listed = await listCheckpoints(place, store, { root, withChanges: true });
			if (!listed.ok) throw new Error(listed.error);
			return listed.checkpoints;
		},
		async restore({ commit, ...options } = {}) {
			const all = await scene.list();
			const checkpoint = commit === undefined ? all.at(-1) : all.find(({ hash }) => hash === commit);
			if (checkpoint === undefined) throw new Error("there is no such checkpoint");
			const restored = await restoreCheckpoint(place, store, { root, checkpoint, limits: usualLimits, ...options });
			if (!restored.ok) throw new Error(restored.error);
			return restored;
		},
		kept: (commit = "") => inStore("ls-tree", "-r", "-z", "--name-only", commit).toString().split("\0").filter(Boolean),
		content: (commit, name) => inStore("cat-file", "blob", `${commit}:${name}`),
		faults: () => inStore("fsck", "--no-dangling", "--no-progress").toString(),
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
	return scene;
}

function run(command: readonly string[], cwd: string): Buffer {
	const env = {
		...plainEnvironment,
		GIT_CONFIG_GLOBAL: "/dev/null",
		GIT_AUTHOR_NAME: "a",
		GIT_AUTHOR_EMAIL: "a@b",
		GIT_COMMITTER_NAME: "a",
		GIT_COMMITTER_EMAIL: "a@b",
	};
	const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env });
	if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
	return stdout;
}

/** Writes files below `root`. */
export function writeFiles(root: string, files: Readonly<Record<string, string | Uint8Array | null>>): void {
	for (const [name, content] of Object.entries(files)) {
		const path = join(root, name);
		if (content === null) {
			rmSync(path, { recursive: true });
			continue;
		}
		mkdirSync(dirname(path), { recursive: true });
		const target = typeof content === "string" && content.startsWith("-> ") ? content.slice(3) : undefined;
		if (target !== undefined) symlinkSync(target, path);
		else writeFileSync(path, content);
		if (target === undefined && name.endsWith(".sh")) chmodSync(path, 0o755);
	}
}

/** Every file below `root`, without repositories. */
export function filesIn(root: string): Record<string, string> {
	if (!existsSync(root)) return {};
	const names = readdirSync(root, { recursive: true, encoding: "utf8" })
		.filter((name) => !/(^|\/)\.git(\/|$)/.test(name))
		.sort();
	return Object.fromEntries(
		names.flatMap((name) => {
			const path = join(root, name);
			const stat = lstatSync(path);
			if (stat.isSymbolicLink()) return [[name, `-> ${readlinkSync(path)}`]];
			return stat.isFile() ? [[name, readFileSync(path, "latin1")]] : [];
		}),
	);
}
