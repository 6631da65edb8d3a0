/** How fast a backend is, from what its users wait for. */

import { execute } from "../../environments/shell/execute.ts";
import type { Shell } from "../../environments/shell/shell.ts";
import type { Latency } from "./result.ts";

const samples = { execute: 20, output: 5, open: 5 } as const;

/** Opens a session of its own for each measurement. */
export async function measureLatency(openShell: () => Promise<Shell>, signal: AbortSignal): Promise<Latency> {
	await using shell = await openShell();
	const run = async (command: string) => void (await execute(shell, command, { signal }));
	// The first command of a session may pay for what later ones use.
	await run("true");
	return {
		execute_true: await medianMs(samples.execute, () => run("true")),
		output_1mb: await medianMs(samples.output, () => run("head -c 1000000 /dev/zero | tr '\\0' x")),
		open_session: await medianMs(samples.open, async () => (await openShell())[Symbol.asyncDispose]()),
	};
}

async function medianMs(count: number, operation: () => Promise<void>): Promise<number> {
	const times: number[] = [];
	while (times.length < count) {
		const startedAt = performance.now();
		await operation();
		times.push(performance.now() - startedAt);
	}
	const median = times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
	return Math.round(median * 100) / 100;
}
