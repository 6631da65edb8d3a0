/** Runs a command through a relay for as long as it is let: `run-and-hang.ts PLACE SECONDS`. */

import { openLocalRelay } from "./open-local-relay.ts";
import { firstLine, start } from "./programs.ts";
import { openRelayed, remotePlaces } from "./remote-places.ts";

const [, , name, seconds] = process.argv;
const place = remotePlaces.find((place) => place.name === name);
const sandbox = place === undefined ? await openLocalRelay() : (await openRelayed(place)).sandbox;
const script = `setsid sleep ${seconds} & env -i setsid sleep ${seconds} & echo up; sleep ${seconds}`;
const running = await start(sandbox, ["bash", "-c", script]);
process.stdout.write(`${await firstLine(running)} ${sandbox.ranOn}\n`);
await running.exited;
