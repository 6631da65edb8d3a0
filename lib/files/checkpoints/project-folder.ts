/** Which folders checkpoints are made of. */

import type { FilePlace } from "../place.ts";
import type { CheckpointStore } from "./limits.ts";
import { type CheckpointRefused, runInStore } from "./run-in-store.ts";
import { folderScript } from "./scripts/folder-script.ts";

/** The folder of one path. */
export interface ProjectFolder {
	/** Absolute, links followed. */
	readonly path: string;
	readonly root: string;
	/** It belongs to the system, or is a home: it is never kept as a whole. */
	readonly isOff: boolean;
}

const folderSeconds = 20;

/**
 * The folders of `paths`, in their order; a path that leads nowhere has none. `cwd` is the session's folder.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function findProjectFolders(
	place: FilePlace,
	store: CheckpointStore,
	{ cwd, paths }: { readonly cwd: string; readonly paths: readonly string[] },
): Promise<{ readonly ok: true; readonly folders: readonly ProjectFolder[] } | CheckpointRefused> {
	const args = [cwd, ...paths];
	const answer = await runInStore(place, store, {
		act: "find the folder of a checkpoint",
		script: folderScript,
		args,
		timeoutSeconds: folderSeconds,
	});
	if (!answer.ok) return answer;
	const folders = paths.flatMap((_, index): ProjectFolder[] => {
		const path = answer.fields.get(`${index + 1}.path`);
		const off = answer.fields.get(`${index + 1}.off`);
		const root = answer.fields.get(`${index + 1}.root`) ?? off;
		return path === undefined || root === undefined ? [] : [{ path, root, isOff: off !== undefined }];
	});
	return { ok: true, folders };
}
