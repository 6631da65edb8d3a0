/** Measures how much memory of this process a command's output takes while it passes through. */

import type { Outcome } from "../outcome.ts";
import type { CaseContext } from "./conformance-case.ts";

/** What passed, and by how much this process grew at most. */
export interface OutputMemory {
	readonly grownBytes: number;
	/** Of the output as it came. */
	readonly characters: number;
	readonly outcome: Outcome;
}

/** Runs a command that writes `bytes` letters and two short lines. Nothing else should run in this process. */
export async function memoryOfOutput(run: CaseContext["run"], bytes: number): Promise<OutputMemory> {
	await run("head -c 1000000 /dev/zero");
	Bun.gc(true);
	const idle = process.memoryUsage.rss();
	let highest = idle;
	let characters = 0;
	const outcome = await run(`head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo end`, {
		onOutput(text) {
			characters += text.length;
			highest = Math.max(highest, process.memoryUsage.rss());
		},
	});
	return { grownBytes: highest - idle, characters, outcome };
}
