/** What places of sub-agents have in common. */

import type { Pool } from "../../../environments/pool/pool.ts";
import type { FileState } from "../../../files/file-state.ts";
import type { FilePlace } from "../../../files/place.ts";
import type { RepositoryRefused } from "../../../files/worktrees/run-in-repository.ts";
import type { KeptWork } from "../../../files/worktrees/worktree.ts";
import type { IsolationRequest, KeptChange } from "../isolation.ts";

/** What places are opened with. */
export interface PlaceOptions {
	readonly pool: Pool;
	/** HERMES_HOME: sandboxes are found again by it. */
	readonly home: string;
	/** Told of files that a merge has changed: whoever knew them must read them again. */
	readonly fileState?: FileState | undefined;
	/** The program; `git` when left out. */
	readonly git?: string;
}

/** Keeping and putting away are not for the signal that ended the child; a checkout of a large project takes its time. */
const puttingAwayMs = 300_000;

/** The files of `task`, until `signal` aborts. */
export function filesOf(pool: Pool, task: string, signal: AbortSignal): Pick<FilePlace, "execute"> {
	return { execute: (command, options) => pool.shell(task).execute(command, { signal, ...options }) };
}

/** The same, for what has to be done although nobody waits. */
export function lastFilesOf(pool: Pool, task: string): Pick<FilePlace, "execute"> {
	return filesOf(pool, task, puttingAway());
}

/** How long that may take. */
export function puttingAway(): AbortSignal {
	return AbortSignal.timeout(puttingAwayMs);
}

/** What was changed, in the words of the port. */
export function changeOf(pool: Pool, work: KeptWork, { kind, cwd, parentTask }: IsolationRequest): KeptChange {
	const { stat, left, branch, base, folder, store } = work;
	const missing = left.length === 0 ? [] : [`Not among the changes: ${shownNames(left)}`];
	return {
		kind,
		summary: [
			stat || "no file that git keeps has changed",
			...missing,
			`\`git ${store && `--git-dir=${store} `}diff ${base.slice(0, 12)} ${branch}\` shows them in full`,
		].join("\n"),
		target: cwd,
		backend: backendOf(pool, parentTask),
		base,
		branch,
		...(folder !== "" && { folder }),
	};
}

/** The backend that a task is on: what a place is called begins with it. */
export function backendOf(pool: Pool, task: string): string {
	return pool.shell(task).ranOn.split(":", 1)[0] ?? "";
}

/** Which change it is: its branch is named after it. */
export function idOf({ branch = "" }: Pick<KeptChange, "branch">): string {
	return branch.replace(/^hermes-/, "");
}

/** @throws {Error} With the reason. */
export function done<T extends { readonly ok: true }>(answer: T | RepositoryRefused): T {
	if (!answer.ok) throw new Error(answer.error);
	return answer;
}

const mostNames = 10;

/** Names for a sentence. */
export function shownNames(names: readonly string[]): string {
	const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
	return names.slice(0, mostNames).join(", ") + more;
}
