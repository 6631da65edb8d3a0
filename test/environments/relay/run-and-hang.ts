/** Runs a command through a relay on this machine for as long as it is let: `run-and-hang.ts SECONDS`. */

import { openLocalRelay } from "./open-local-relay.ts";
import { firstLine, start } from "./programs.ts";

const seconds = process.argv[2] ?? "60";
const sandbox = await openLocalRelay();
const running = await start(sandbox, [
	"bash",
	"-c",
	`setsid sleep ${seconds} & env -i setsid sleep ${seconds} & echo up; sleep ${seconds}`,
]);
process.stdout.write(`${await firstLine(running)}\n`);
await running.exited;
