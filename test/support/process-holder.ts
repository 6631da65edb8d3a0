/** A hermes that starts a background process and is then killed: `bun process-holder.ts PLACE HOME COMMAND [TASK]`. */

import { openProcessScene, type PlaceName, printed, until } from "./process-scene.ts";

const [place = "local", home = "/nonexistent", command = "true", taskId = "default"] = process.argv.slice(2);
const scene = await openProcessScene(place as PlaceName, { home, keep: true, taskId });
const started = await scene.start(command, { notify: true });
await until(() => printed(started).length > 0);
started.note({ linesRead: 1 });
scene.desk.seen(started);
await scene.table.saved();
process.stdout.write(`${started.record.id}\n`);
await new Promise(() => setInterval(() => undefined, 1_000));
