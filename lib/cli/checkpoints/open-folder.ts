/** The place and the folder whose checkpoints a command line is about. */

import type { CheckpointLimits, CheckpointStore } from "../../files/checkpoints/limits.ts";
import type { CheckpointRefused } from "../../files/checkpoints/run-in-store.ts";
import type { FilePlace } from "../../files/place.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/** Where checkpoints are looked for. */
export interface CheckpointScene extends AsyncDisposable {
	readonly place: FilePlace;
	readonly store: CheckpointStore;
	readonly limits: CheckpointLimits;
	/** Whether edits are kept at all. */
	readonly isEnabled: boolean;
	/** Where the files are: `local`, `docker:4f2a…`. */
	readonly ranOn: string;
	readonly cwd: string;
}

/** What the user typed about it. */
export interface SceneFlags {
	readonly backend?: string | undefined;
	readonly cwd?: string | undefined;
}

/**
 * Opens the backend.
 * @throws {UsageError | CommandFailed | ConfigInvalid | BackendUnavailable} When it cannot be opened.
 */
export async function openScene(cli: Cli, flags: SceneFlags): Promise<CheckpointScene> {
	const [{ openPlace }, { openSettings }, { checkpointStore }, { checkpointLimits }] = await Promise.all([
		import("../runtime/open-place.ts"),
		import("../runtime/settings.ts"),
		import("../runtime/edit-guard.ts"),
		import("../../files/checkpoints/settings.ts"),
	]);
	const config = await openSettings(cli, flags);
	const opened = await openPlace(cli, { config, cwd: flags.cwd });
	const { shell } = opened;
	const { signal } = cli.interruption;
	return {
		place: { execute: (command, options) => shell.execute(command, { signal, ...options }) },
		store: checkpointStore(cli, shell.ranOn),
		limits: checkpointLimits(config),
		isEnabled: config.get("checkpoints.enabled"),
		ranOn: shell.ranOn,
		cwd: shell.cwd,
		[Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
	};
}

/** The folder that the session's folder belongs to. */
export interface SceneFolder {
	readonly root: string;
	/** The session's folder, links followed. */
	readonly cwd: string;
}

/** @throws {CommandFailed} When the session's folder is never kept. */
export async function folderOf({ place, store, cwd }: CheckpointScene): Promise<SceneFolder> {
	const { findProjectFolders } = await import("../../files/checkpoints/project-folder.ts");
	const { folders } = orFail(await findProjectFolders(place, store, { cwd, paths: [`${cwd}/`] }));
	const [folder] = folders;
	if (folder === undefined) throw new CommandFailed(`Cannot use "${cwd}": there is no such folder`);
	if (!folder.isOff) return { root: folder.root, cwd: folder.path };
	throw new CommandFailed(
		`Cannot use "${folder.root}": a home or a folder of the system is never kept as a whole; say --cwd, or see hermes checkpoints status`,
	);
}

/** What went well. @throws {CommandFailed} With the one line of what did not. */
export function orFail<T extends { readonly ok: true }>(answer: T | CheckpointRefused): T {
	if (answer.ok) return answer;
	const advice = answer.code === "no_git" ? "; install git to have checkpoints" : "";
	throw new CommandFailed(`${answer.error}${advice}`);
}
