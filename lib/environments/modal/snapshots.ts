/** Which image of the user's Modal account holds the files of each task. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import { type FileLock, takeFileLock, tryFileLock } from "../../base/file-lock.ts";

/** Task to image, kept over processes. */
export interface Snapshots {
	/** The newest image of the task. */
	readonly saved: string | undefined;
	save(imageId: string): Promise<void>;
	/** Forgets `imageId`, unless another one has taken its place. */
	forget(imageId: string): Promise<void>;
}

const notes = z.record(z.string(), z.string());

/** Changing the file takes milliseconds. */
const lockLimitMs = 10_000;

/** The images of `taskId` in `modal_snapshots.json` of `home`, which the original writes too. */
export function openSnapshots(home: string, taskId: string): Snapshots {
	const file = join(home, "modal_snapshots.json");
	const key = `direct:${taskId}`;
	const change = async (next: (known: Record<string, string>) => Record<string, string>) => {
		using _lock = await takeFileLock(join(home, "modal-snapshots.lock"), AbortSignal.timeout(lockLimitMs));
		writeFileAtomically(file, `${JSON.stringify(next(readNotes(file)), null, "\t")}\n`);
	};
	return {
		get saved() {
			const known = readNotes(file);
			// Older versions wrote the task alone.
			return known[key] ?? known[taskId];
		},
		save: (imageId) => change((known) => ({ ...without(known, () => true, taskId), [key]: imageId })),
		forget: (imageId) => change((known) => without(known, (id) => id === imageId, key, taskId)),
	};
}

function without(
	known: Readonly<Record<string, string>>,
	isMeant: (id: string) => boolean,
	...keys: readonly string[]
): Record<string, string> {
	return Object.fromEntries(Object.entries(known).filter(([name, id]) => !(keys.includes(name) && isMeant(id))));
}

function readNotes(file: string): Record<string, string> {
	if (!existsSync(file)) return {};
	try {
		return notes.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch (cause) {
		throw new Error(`Cannot read "${file}": it is no list of images; mend it or move it away`, { cause });
	}
}

/** The right to save the files of a task; undefined when another process has it. */
export function claimTask(home: string, taskId: string): FileLock | undefined {
	const name = Bun.hash(taskId).toString(16);
	return tryFileLock(join(home, `modal-task-${name}.lock`));
}
