/** Keeps folders as they are before something in them is changed: each once a turn, and never in the way of the change. */

import { posix } from "node:path";
import { reasonOf } from "../../base/attempt.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import { isAtOrBelow } from "../../security/path-safety.ts";
import type { FilePlace } from "../place.ts";
import type { CheckpointLimits, CheckpointStore } from "./limits.ts";
import { findProjectFolders, type ProjectFolder } from "./project-folder.ts";
import { pruneCheckpoints } from "./prune.ts";
import type { CheckpointRefused } from "./run-in-store.ts";
import { takeCheckpoint } from "./take.ts";

/** What a guard works with. */
export interface EditGuardOptions {
	readonly limits: CheckpointLimits;
	/** Files that a folder may have; 50,000 when left out. */
	readonly mostFiles?: number;
	/** Where the checkpoints of the place `ranOn` are. */
	storeOf(ranOn: string): CheckpointStore;
	/** Something the user should know, once. */
	onWarning(text: string): void;
	readonly log?: Pick<Logger, "warning" | "debug">;
}

/** Where the change happens. */
export interface EditPlace extends Pick<FilePlace, "execute"> {
	readonly cwd: string;
	readonly ranOn: string;
}

/** A change that is about to happen. */
export interface Edit {
	/** Absolute files and folders; what ends in a slash is a folder. */
	readonly paths: readonly string[];
	/** One line without secrets. */
	readonly reason: string;
	/** Changes of one turn share a checkpoint. */
	readonly turn: string;
}

interface Turn {
	/** By place and folder. */
	readonly folders: Map<string, ProjectFolder>;
	/** By place and folder: whether it is kept, or is about to be. */
	readonly kept: Map<string, Promise<boolean>>;
}

/** Turns of sessions that run at the same time. */
const mostTurns = 32;
/** A run that ends does not wait longer for what is being removed. */
const settleMs = 5_000;

/** One per process. */
export class EditGuard {
	readonly #options: EditGuardOptions;
	readonly #log: Pick<Logger, "warning" | "debug">;
	readonly #turns = new Map<string, Turn>();
	readonly #warned = new Set<string>();
	readonly #withoutGit = new Set<string>();
	readonly #closing = new AbortController();
	#pruning: Promise<void> | undefined;

	constructor(options: EditGuardOptions) {
		this.#options = options;
		this.#log = options.log ?? silentLogger;
	}

	/** Keeps the folders of `edit.paths`. Never throws: a change that cannot be taken back is still a change that was wanted. */
	async before(place: EditPlace, edit: Edit): Promise<void> {
		if (edit.paths.length === 0 || this.#withoutGit.has(place.ranOn)) return;
		try {
			const turn = this.#turn(edit.turn);
			const folders = await this.#folders(place, edit, turn);
			for (const root of new Set(folders.map((folder) => folder.root))) {
				const files = folders.filter((folder) => folder.root === root && folder.path !== root).map(({ path }) => path);
				await this.#keepOnce(place, { ...edit, paths: files }, { turn, root });
			}
		} catch (cause) {
			this.#log.warning(`no checkpoint ${edit.reason}: ${reasonOf(cause)}`);
		}
	}

	/** Resolves when nothing is being removed any more; what takes long is stopped, and goes on another time. */
	async settled(): Promise<void> {
		const timer = setTimeout(() => this.#closing.abort(), settleMs);
		await this.#pruning;
		clearTimeout(timer);
	}

	#turn(id: string): Turn {
		const turn = this.#turns.get(id) ?? { folders: new Map(), kept: new Map() };
		this.#turns.set(id, turn);
		const [oldest] = this.#turns.keys();
		if (this.#turns.size > mostTurns && oldest !== undefined) this.#turns.delete(oldest);
		return turn;
	}

	async #folders(place: EditPlace, { paths }: Edit, turn: Turn): Promise<ProjectFolder[]> {
		const { ranOn, cwd } = place;
		const unknown = paths.filter((path) => !turn.folders.has(`${ranOn}:${folderOf(path)}`));
		const found = unknown.length === 0 ? [] : await this.#find(place, { cwd, paths: unknown });
		for (const folder of found) {
			const own = posix.dirname(folder.path);
			if (isAtOrBelow(own, folder.root)) turn.folders.set(`${ranOn}:${own}/`, folder);
		}
		const known = paths.flatMap((path) => {
			const folder = unknown.includes(path) ? undefined : turn.folders.get(`${ranOn}:${folderOf(path)}`);
			return folder === undefined ? [] : [{ ...folder, path }];
		});
		return [...found, ...known].filter((folder) => !folder.isOff);
	}

	async #find(place: EditPlace, asked: { readonly cwd: string; readonly paths: readonly string[] }) {
		const answer = await findProjectFolders(place, this.#options.storeOf(place.ranOn), asked);
		if (answer.ok) return answer.folders;
		this.#refused(place, answer, place.ranOn);
		return [];
	}

	async #keepOnce(place: EditPlace, edit: Edit, { turn, root }: { turn: Turn; root: string }): Promise<void> {
		const key = `${place.ranOn}:${root}`;
		const keeping = turn.kept.get(key) ?? this.#keep(place, edit, root);
		turn.kept.set(key, keeping);
		// What failed once may work before the next change.
		if (!(await keeping)) turn.kept.delete(key);
	}

	async #keep(place: EditPlace, { paths, reason }: Edit, root: string): Promise<boolean> {
		const { limits, storeOf, mostFiles } = this.#options;
		const store = storeOf(place.ranOn);
		const taken = await takeCheckpoint(place, store, {
			root,
			reason,
			limits,
			files: paths,
			...(mostFiles && { mostFiles }),
		});
		if (!taken.ok) return this.#refused(place, taken, root);
		if (taken.isPruningDue && limits.autoPrune) this.#prune(place, store);
		return true;
	}

	#prune(place: EditPlace, store: CheckpointStore): void {
		if (this.#pruning !== undefined) return;
		const { signal } = this.#closing;
		// Not the signal of the call: what is removed has nothing to do with it.
		const own = {
			execute: ((command, options) => place.execute(command, { ...options, signal })) as EditPlace["execute"],
		};
		this.#pruning = pruneCheckpoints(own, store, { limits: this.#options.limits })
			.then((pruned) => {
				this.#log.debug(pruned.ok ? `${pruned.removed} checkpoints were removed` : pruned.error);
			})
			.catch((cause: unknown) => this.#log.warning(`checkpoints were not pruned: ${reasonOf(cause)}`))
			.finally(() => {
				this.#pruning = undefined;
			});
	}

	/** Says so once, where the user should know. What is too much for one edit is too much for every edit of the turn. */
	#refused({ ranOn }: EditPlace, { code, error }: CheckpointRefused, folder: string): boolean {
		this.#log.warning(error);
		if (code === "failed" || code === "not_found") return false;
		if (code === "no_git") this.#withoutGit.add(ranOn);
		const about = `${code}:${ranOn}:${folder}`;
		if (!this.#warned.has(about)) {
			this.#warned.add(about);
			const why = code === "no_git" ? `there is no git on ${ranOn}` : error.replace(/^Cannot keep /, "");
			this.#options.onWarning(`No checkpoints: ${why}; changes of files cannot be taken back`);
		}
		return true;
	}
}

function folderOf(path: string): string {
	return path.endsWith("/") ? path : `${posix.dirname(path).replace(/\/$/, "")}/`;
}
