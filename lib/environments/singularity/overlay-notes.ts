/** Remembers where the files of each task lie, for a user who looks for them. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../base/atomic-write.ts";

const notes = z.record(z.string(), z.string());

/** Writes to `singularity_snapshots.json` in `home` that the overlay of a task is at `path`. */
export function noteOverlay(home: string, taskId: string, path: string): void {
	const file = join(home, "singularity_snapshots.json");
	const known = readNotes(file);
	if (known[taskId] === path) return;
	writeFileAtomically(file, `${JSON.stringify({ ...known, [taskId]: path }, null, "\t")}\n`);
}

function readNotes(file: string): Record<string, string> {
	if (!existsSync(file)) return {};
	try {
		return notes.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch (cause) {
		// A file that somebody has broken holds nothing that could not be found again.
		if (cause instanceof SyntaxError || cause instanceof z.ZodError) return {};
		throw cause;
	}
}
