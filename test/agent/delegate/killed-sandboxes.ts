/** A program with two sub-agents at work in sandboxes, for tests that kill it: `bun killed-sandboxes.ts BACKEND HOME`. Says what it began, then waits. */

import { makeRepository, openPlacedPool, type PlacedOn } from "./placed-pool.ts";

const [on = "", home = ""] = process.argv.slice(2);
const { signal } = new AbortController();
await using opened = await openPlacedPool(on as PlacedOn, { home });
const { folder: cwd, say } = opened;
await say("", makeRepository);
const open = (childTask: string) =>
	opened.isolation.open({ kind: "sandbox", parentTask: "default", childTask, cwd, signal });
const [busy, away] = await Promise.all([open("sa-0-11111111"), open("sa-1-22222222")]);
await say("sa-0-11111111", "echo changed > b.txt; echo new > new.txt");
process.stdout.write(`${JSON.stringify([busy.begun, away.begun])}\n`);
await say("sa-1-22222222", "echo lost > b.txt; while sleep 1; do :; done");
