/** How much memory 50 background processes with fast output take, in a process of its own: prints bytes. */

import { openProcessScene } from "../support/process-scene.ts";

await using scene = await openProcessScene("local");
const before = process.memoryUsage().rss;
const started = await Promise.all(
	Array.from({ length: 50 }, (_, at) => scene.start(`yes "line of process ${at}" | head -c 2000000`)),
);
await Promise.all(started.map((one) => one.ended));
process.stdout.write(`${process.memoryUsage().rss - before}\n`);
