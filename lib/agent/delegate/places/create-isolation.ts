/** Places of sub-agents on the sandboxes of a pool, and how their changes come into the files of their parents. */

import { createQueue } from "../../../base/queue.ts";
import { quoteWord } from "../../../base/shell-quoting.ts";
import { sharedTask } from "../../../environments/pool/task-id.ts";
import type { FilePlace } from "../../../files/place.ts";
import { changedFiles, discardChange, mergeChange } from "../../../files/worktrees/merge.ts";
import type { ChangeRef } from "../../../files/worktrees/worktree.ts";
import type { Isolation, IsolationRequest, KeptChange, MergeReport } from "../isolation.ts";
import { removeLeftSandbox } from "./left-sandbox.ts";
import { settleLeftovers } from "./leftovers.ts";
import { done, filesOf, idOf, type PlaceOptions, shownNames } from "./place-parts.ts";
import { openSandboxPlace } from "./sandbox-place.ts";
import { openWorktreePlace } from "./worktree-place.ts";

/** Opens nothing by itself. */
export function createIsolation(options: PlaceOptions): Isolation {
	const { pool, fileState, git } = options;
	const program = git === undefined ? {} : { git };
	/** Whose files a change goes to; one of an earlier process goes to the main task's. */
	const parents = new Map<string, string>();
	/** Each merge starts from the files that the one before has left. */
	const repositories = createQueue();

	const of = (change: KeptChange, signal: AbortSignal) => {
		const task = parents.get(idOf(change)) ?? sharedTask;
		return { place: filesOf(pool, task, signal), task, ref: { cwd: change.target, id: idOf(change), ...program } };
	};

	return {
		async open(request: IsolationRequest) {
			const { parentTask, childTask, cwd, signal } = request;
			await settleLeftovers(options, { cwd, task: parentTask, signal });
			const open = request.kind === "worktree" ? openWorktreePlace : openSandboxPlace;
			const place = await open(options, request);
			parents.set(childTask, parentTask);
			return place;
		},
		merge: (change, signal) =>
			repositories(async () => {
				const { place, task, ref } = of(change, signal);
				const { ranOn } = pool.shell(task);
				const settle = () => settleLeftovers(options, { cwd: ref.cwd, task, id: ref.id, signal });
				const merge = () => mergeSettled(place, ref, settle);
				// An agent that is just writing one of the files is waited for.
				const keys = fileState === undefined ? [] : (await changedFiles(place, ref)).map((path) => `${ranOn}:${path}`);
				const report = done(await (fileState === undefined ? merge() : fileState.inTurn(keys, merge)));
				if (report.kind === "conflicts") return inConflict(report.conflicts);
				// Nobody who has read them before may write over them unseen.
				for (const file of report.files) fileState?.wasWritten(ref.id, `${ranOn}:${report.top}/${file}`, "");
				parents.delete(ref.id);
				const { files, stays } = report;
				return { kind: "merged", files, ...(stays && { note: stayingNote(stays) }) };
			}),
		discard: (change, signal) =>
			repositories(async () => {
				const { place, ref } = of(change, signal);
				const discarded = await discardChange(place, ref);
				if (!discarded.ok && discarded.code !== "no_change") throw new Error(discarded.error);
				if (change.kind === "sandbox" && !parents.has(ref.id)) await removeLeftSandbox(options, ref.id, signal);
				parents.delete(ref.id);
			}),
	};
}

/** Gives what went wrong, by the ids of changes. */
type Settle = () => Promise<ReadonlyMap<string, string>>;

/** What a killed process has left is finished first. */
async function mergeSettled(place: Pick<FilePlace, "execute">, ref: ChangeRef, settle: Settle) {
	const merged = await mergeChange(place, ref);
	if (merged.ok || merged.code !== "unfinished") return merged;
	const problem = (await settle()).get(ref.id);
	if (problem !== undefined) throw new Error(problem);
	return await mergeChange(place, ref);
}

function inConflict(conflicts: readonly { readonly path: string; readonly reason: string }[]): MergeReport {
	return {
		kind: "conflicts",
		files: conflicts.map(({ path }) => path),
		why: conflicts.map(({ path, reason }) => `${path}: ${reason}`),
	};
}

function stayingNote({ folder, left }: { readonly folder: string; readonly left: readonly string[] }): string {
	const removing = folder.endsWith("/copy") ? "rm -rf" : "git worktree remove --force";
	return `The folder ${folder} is kept: ${shownNames(left)} in it could not be merged (a repository of its own, too large, or not readable). \`${removing} ${quoteWord(folder)}\` removes it`;
}
