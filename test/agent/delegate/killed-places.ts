/** A program with two sub-agents at work in worktrees, for tests that kill it: `bun killed-places.ts FOLDER`. Says what it began, then waits. */

import { openPlacedPool } from "./placed-pool.ts";

const [cwd = ""] = process.argv.slice(2);
const { signal } = new AbortController();
await using opened = await openPlacedPool("local");
const open = (childTask: string) =>
	opened.isolation.open({ kind: "worktree", parentTask: "default", childTask, cwd, signal });
const [busy, idle] = await Promise.all([open("sa-busy"), open("sa-idle")]);
await opened.say("sa-busy", "echo half > b.txt; git add b.txt; echo done >> b.txt; echo new > new.txt");
process.stdout.write(`${JSON.stringify([busy.begun, idle.begun])}\n`);
await opened.say("sa-busy", "while sleep 1; do :; done");
