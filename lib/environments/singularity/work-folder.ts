/** The folder of one sandbox on this machine, and what a killed process has left in it when the sandbox was one task's alone. */

import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type FileLock, tryFileLock } from "../../base/file-lock.ts";
import { BackendUnavailable, heldDays, SandboxGone, type ThrowawayLife } from "../backend.ts";
import { findInstance, type Instance, stopInstance } from "./instance.ts";
import type { Program } from "./program.ts";

/** Folders of a sandbox. Disposing it removes them, unless they are left for another process. */
export interface WorkFolder extends Disposable {
	/** For its temporary files. */
	readonly work: string;
	/** For its variables. */
	readonly files: string;
	/** Notes under which name it runs, so that it is found again when this process is killed. Does nothing where nobody would look. */
	note(instance: Instance): void;
	/** What a killed process has left running; undefined where a new one is to be started. */
	readonly left: string | undefined;
}

/** Whose folder, and how it begins and ends. */
export interface WorkFolderRequest {
	/** Where the folders lie. */
	readonly root: string;
	readonly taskId: string;
	/** Left out for a sandbox that nobody looks for later. */
	readonly life?: ThrowawayLife | undefined;
}

const held = "hermes-held-";

/**
 * Makes the folder, or takes up the one that is there.
 * @throws {SandboxGone} When a killed process has left none.
 * @throws {BackendUnavailable} When another process has it.
 */
export function openWorkFolder({ root, taskId, life }: WorkFolderRequest): WorkFolder {
	if (life === undefined) return foldersIn(mkdtempSync(join(root, "hermes-work-")), undefined, {});
	const folder = join(root, held + taskId.replace(/[^\w.-]+/g, "_"));
	const left = life === "own" ? undefined : readName(folder);
	if (life !== "own" && left === undefined) {
		throw new SandboxGone(`Cannot open the instance of "${taskId}": it is gone`);
	}
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const lock = tryFileLock(join(folder, "lock"));
	if (lock === undefined) {
		throw new BackendUnavailable(`Cannot open the instance of "${taskId}": another process uses ${folder}`);
	}
	return foldersIn(folder, lock, { left, stays: life === "found" });
}

function foldersIn(
	folder: string,
	lock: FileLock | undefined,
	{ left, stays = false }: { readonly left?: string | undefined; readonly stays?: boolean },
): WorkFolder {
	const [work, files] = [join(folder, "work"), join(folder, "variables")];
	for (const made of [work, files]) mkdirSync(made, { recursive: true, mode: 0o700 });
	// Names of files are given anew by every process.
	for (const name of readdirSync(files)) rmSync(join(files, name), { force: true });
	return {
		work,
		files,
		left,
		note({ name }) {
			if (lock !== undefined) writeFileSync(join(folder, "instance"), name, { mode: 0o600 });
		},
		[Symbol.dispose]() {
			if (!stays) rmSync(folder, { recursive: true, force: true });
			lock?.[Symbol.dispose]();
		},
	};
}

/**
 * The instance that was left.
 * @throws {SandboxGone} When it does not run any more; its files were in memory.
 */
export async function leftInstance(program: Program, name: string, signal: AbortSignal): Promise<Instance> {
	const found = await findInstance(program, name, signal);
	if (found !== undefined) return found;
	throw new SandboxGone(`Cannot open the instance ${name}: it is gone`);
}

/** Ends what killed processes have left and nobody has taken over in `heldDays`, and tells of it. `now`: milliseconds since 1970. */
export async function endOldInstances(
	program: Program,
	{ root, now = Date.now(), tell }: { readonly root: string; readonly now?: number; tell(line: string): void },
): Promise<void> {
	for (const entry of readdirSync(root).filter((name) => name.startsWith(held))) {
		const folder = join(root, entry);
		// Its process may remove it at any moment, or have made it only now.
		const noted = statSync(join(folder, "instance"), { throwIfNoEntry: false });
		if (noted === undefined || now - noted.mtimeMs < heldDays * 86_400_000) continue;
		const lock = tryFileLock(join(folder, "lock"));
		if (lock === undefined) continue;
		const name = readName(folder) ?? entry;
		await stopInstance(program, name);
		rmSync(folder, { recursive: true, force: true });
		lock[Symbol.dispose]();
		tell(`Ended the instance ${name} of a sub-agent: nobody took over in ${heldDays} days what it held`);
	}
}

function readName(folder: string): string | undefined {
	const path = join(folder, "instance");
	return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
