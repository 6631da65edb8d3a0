/** The file that remembers which background processes run, so that a later start finds them again. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../base/atomic-write.ts";
import { attempt } from "../base/attempt.ts";
import { takeFileLock } from "../base/file-lock.ts";
import { processStart } from "../base/process-start.ts";
import { processRecord } from "./process-record.ts";

/** A process of ours that holds records, told from a later one with its number by the moment it began. */
const ownerShape = z.object({ pid: z.int(), start: z.string() });

const entryShape = processRecord.extend({ owner: ownerShape });

/** A record, and which hermes follows the process. */
export type CheckpointEntry = z.output<typeof entryShape>;

const fileShape = z.object({ version: z.literal(1), processes: z.array(z.unknown()) });

/** How long others may hold the file. */
const lockLimitMs = 5_000;

/** The file. */
export interface Checkpoint {
	/** Everything in it that can be understood; nothing when there is none. */
	read(): readonly CheckpointEntry[];
	/** Replaces it with what `change` makes of it, while nobody else does. */
	update(change: (entries: readonly CheckpointEntry[]) => readonly CheckpointEntry[]): Promise<void>;
}

/** The checkpoint at `path`. */
export function openCheckpoint(path: string): Checkpoint {
	const read = () => (existsSync(path) ? parse(readFileSync(path, "utf8")) : []);
	return {
		read,
		async update(change) {
			mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
			using _lock = await takeFileLock(`${path}.lock`, AbortSignal.timeout(lockLimitMs));
			const before = read();
			const after = change(before);
			if (JSON.stringify(after) === JSON.stringify(before)) return;
			writeFileAtomically(path, `${JSON.stringify({ version: 1, processes: after }, null, "\t")}\n`);
		},
	};
}

/** A line that somebody broke loses one process, not all of them. */
function parse(text: string): CheckpointEntry[] {
	const parsed = attempt(() => fileShape.parse(JSON.parse(text)));
	if (!parsed.ok) return [];
	return parsed.value.processes.flatMap((one) => {
		const entry = entryShape.safeParse(one);
		return entry.success ? [entry.data] : [];
	});
}

/** This process, as an owner. */
export function thisOwner(): CheckpointEntry["owner"] {
	return { pid: process.pid, start: processStart(process.pid) };
}

/** Whether the owner still runs. */
export function isOwnerAlive({ pid, start }: CheckpointEntry["owner"]): boolean {
	const alive = attempt(() => pid > 0 && process.kill(pid, 0));
	return pid > 0 && alive.ok && processStart(pid) === start;
}
