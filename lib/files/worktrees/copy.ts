/** A copy of the files in a sandbox of its own, and what comes back of it. */

import { SandboxGone } from "../../environments/backend.ts";
import type { PooledShell } from "../../environments/pool/task-shell.ts";
import type { FilePlace } from "../place.ts";
import { numberField, runScript } from "../run-script.ts";
import { discardChange } from "./merge.ts";
import { pathsIn, type RepositoryRefused, runInRepository } from "./run-in-repository.ts";
import {
	claimScript,
	emptyCopyScript,
	finishCopyScript,
	historyScript,
	openCopyScript,
	placeScript,
	stillHereScript,
} from "./scripts/copy-scripts.ts";
import { streamFolder } from "./stream-folder.ts";
import { type ChangeRef, type KeptWork, type NoWork, workIn } from "./worktree.ts";

/** Both ends, and the change that comes of it. */
export interface CopyRequest extends ChangeRef {
	/** The session whose files are copied. */
	readonly from: PooledShell;
	/** A session in a new sandbox. */
	readonly to: PooledShell;
	readonly signal: AbortSignal;
}

/** Whose copy it is. */
export interface CopyOwner {
	/** Who must run for it not to be a leftover. */
	readonly owner: string;
	/** Who can find its sandbox again afterwards. */
	readonly holder: string;
}

/** A copy that was made. */
export interface OpenedCopy {
	readonly ok: true;
	/** In the new sandbox, absolute: the copy of `cwd`. */
	readonly cwd: string;
	/** The whole copy. */
	readonly folder: string;
	/** What it is a copy of. */
	readonly top: string;
	readonly base: string;
	/** What the parent has and the copy has not. */
	readonly left: readonly string[];
	/** Names that need not come back. */
	readonly skip: readonly string[];
}

const mostBytes = 1_200_000_000;

/**
 * Copies the project that `cwd` is in, without what `.gitignore` names, into an empty folder of the new sandbox. In the parent's sandbox
 * git must be there; in the new one `tar` is enough. A folder in no repository is copied as it is.
 * @throws {BackendUnavailable} When a sandbox is broken.
 */
export async function openCopy(
	{ from, to, signal, ...change }: CopyRequest,
	{ owner, holder }: CopyOwner,
): Promise<OpenedCopy | RepositoryRefused> {
	const { cwd, id, git } = change;
	const act = `copy "${cwd}" into a sandbox`;
	const here = filesIn(from, signal);
	const answer = await runInRepository(here, { act, script: openCopyScript, args: [cwd, id, owner, holder], git });
	if (!answer.ok) return answer;
	const { fields } = answer;
	const field = (name: string) => fields.get(name) ?? "";
	try {
		const there = filesIn(to, signal);
		const args = [field("top"), String(numberField(fields, "kilobytes")), markOf(id)];
		const { fields: found } = await runScript(there, { script: placeScript, args });
		if (found.has("no_tar")) throw new Error(`there is no tar in ${to.ranOn}`);
		const folder = found.get("folder");
		if (folder === undefined) throw new Error(`${to.ranOn} has no empty folder with room for it`);
		await streamFolder({ shell: from, folder: field("copy") }, { shell: to, folder }, { mostBytes, signal });
		await runScript(there, { script: historyScript, args: [folder], timeoutSeconds: 120 });
		await runInRepository(here, { act, script: emptyCopyScript, args: [cwd, id, folder], git });
		const prefix = field("prefix");
		return {
			ok: true,
			cwd: prefix === "" ? folder : `${folder}/${prefix}`,
			folder,
			top: field("top"),
			base: field("base"),
			left: pathsIn(fields, "left"),
			skip: field("skip").split(" ").filter(Boolean),
		};
	} catch (cause) {
		await discardChange(filesIn(from, AbortSignal.timeout(undoMs)), change);
		throw new Error(`Cannot ${act}: ${cause instanceof Error ? cause.message : cause}`, { cause });
	}
}

const undoMs = 60_000;

/**
 * Brings the copy back and keeps what has changed in it as a commit; nothing of it is in the parent's files yet.
 * @throws {BackendUnavailable} When a sandbox is broken.
 * @throws {SandboxGone} When the sandbox with the copy is gone.
 */
export async function finishCopy(
	{ from, to, signal, ...change }: CopyRequest,
	{ folder, skip }: Pick<OpenedCopy, "folder" | "skip">,
): Promise<KeptWork | NoWork | RepositoryRefused> {
	const { cwd, id, git } = change;
	const act = `bring back the changes of "${id}"`;
	const { fields } = await runScript(filesIn(to, signal), { script: stillHereScript, args: [markOf(id)] });
	if (!fields.has("here")) throw new SandboxGone(`Cannot ${act}: the sandbox that they were in is gone`);
	const here = filesIn(from, signal);
	const emptied = await runInRepository(here, { act, script: emptyCopyScript, args: [cwd, id], git });
	if (!emptied.ok) return emptied;
	const copy = emptied.fields.get("copy") ?? "";
	await streamFolder({ shell: to, folder }, { shell: from, folder: copy }, { mostBytes, signal, skip });
	const answer = await runInRepository(here, { act, script: finishCopyScript, args: [cwd, id], git });
	return answer.ok ? workIn(answer.fields) : answer;
}

/** Makes `to` the owner of a change that was `from`'s; false when that is not so any more. @throws {BackendUnavailable} */
export async function claimChange(
	place: Pick<FilePlace, "execute">,
	{ cwd, id, git }: ChangeRef,
	{ from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
	const call = { act: `take over "${id}"`, script: claimScript, args: [cwd, id, from, to], git };
	const answer = await runInRepository(place, call);
	return answer.ok && answer.fields.has("claimed");
}

function markOf(id: string): string {
	return `/tmp/.hermes-copy-${id}`;
}

function filesIn(shell: PooledShell, signal: AbortSignal): Pick<FilePlace, "execute"> {
	return { execute: (command, options) => shell.execute(command, { signal, ...options }) };
}
