/** A place of its own for a sub-agent, so that what it changes reaches the parent's files only when the parent takes it over. */

/** `worktree`: a git worktree in the parent's sandbox. `sandbox`: a container or overlay of its own, where the backend has those. */
export type IsolationKind = "worktree" | "sandbox";

/** Who wants a place, and what it starts as. */
export interface IsolationRequest {
	readonly kind: IsolationKind;
	/** Task whose sandbox the files are in. */
	readonly parentTask: string;
	/** Task of the child: its shell is looked up under this id. Nothing was registered for it yet. */
	readonly childTask: string;
	/** Folder of the parent, absolute, as its sandbox sees it. */
	readonly cwd: string;
	readonly signal: AbortSignal;
}

/** Opens places and takes over what was changed in them. */
export interface Isolation {
	/**
	 * Makes the place and registers `childTask` in the pool, so that the child's shell starts in it.
	 * @throws {Error} When this backend or folder cannot do that; the message names what could be asked for instead.
	 */
	open(request: IsolationRequest): Promise<IsolatedPlace>;
	/** Puts a change into the parent's files. With conflicts those are left as they were. Works in a later process, too. */
	merge(change: KeptChange, signal: AbortSignal): Promise<MergeReport>;
	/** Throws a change away, with everything that was made for it. */
	discard(change: KeptChange, signal: AbortSignal): Promise<void>;
}

/** The place of one child. */
export interface IsolatedPlace {
	/** Absolute, as the child's shell sees it. */
	readonly cwd: string;
	/** A few sentences for the child's prompt: where it is, that nobody else sees its changes, and what is missing there. */
	readonly description: string;
	/** What will be kept if this process dies now: it can be merged by a later one, and may turn out to be nothing. */
	readonly begun: KeptChange;
	/** Called once, after the last command of the child. A place without changes is removed at once. Has limits of its own. */
	finish(): Promise<FinishedPlace>;
}

/** What a child leaves behind. */
export type FinishedPlace = { readonly kind: "unchanged" } | { readonly kind: "kept"; readonly change: KeptChange };

/** What a child changed: plain JSON, because it is kept in the record of the delegation. */
export interface KeptChange {
	readonly kind: IsolationKind;
	/** Which files, in the form of a diffstat. */
	readonly summary: string;
	/** Where it is to go: the parent's folder. */
	readonly target: string;
	/** Backend that the target is on. */
	readonly backend?: string | undefined;
	/** What the change starts from. */
	readonly base?: string | undefined;
	readonly branch?: string | undefined;
	/** Folder of the worktree, for as long as it is there. */
	readonly folder?: string | undefined;
}

/** What came of taking over a change. Paths are relative to the top of the repository; `why` has a line for each of them. */
export type MergeReport =
	| { readonly kind: "merged"; readonly files: readonly string[]; readonly note?: string }
	| { readonly kind: "conflicts"; readonly files: readonly string[]; readonly why: readonly string[] };
