/** How much memory background processes with fast output take, in a process of its own: prints bytes. */

import { openProcessScene } from "../support/process-scene.ts";

await using scene = await openProcessScene("local");

/** 50 processes at once; what they wrote, 100 MB, has gone through when they have ended. */
async function runMany(): Promise<void> {
	const started = await Promise.all(
		Array.from({ length: 50 }, (_, at) => scene.start(`yes "line of process ${at}" | head -c 2000000`)),
	);
	await Promise.all(started.map((one) => one.ended));
}

/** What is in use, without what the collector has not come to yet. */
function inUse(): number {
	Bun.gc(true);
	return process.memoryUsage().heapUsed;
}

// Processes that ended are kept, up to a number that the first rounds reach.
await runMany();
await runMany();
const before = inUse();
await runMany();
await runMany();
process.stdout.write(`${inUse() - before}\n`);
