/**
 * A process that writes messages of one session into a database: `store-writer.ts PATH SESSION COUNT [BYTES] [acknowledge]`. With
 * `acknowledge` the number of each message is written to stdout as soon as the store has taken it.
 */

import { writeSync } from "node:fs";
import { openStore } from "../../lib/store/database.ts";

const [path = "", session = "", count = "0", bytes = "1", acknowledge] = process.argv.slice(2);
using store = openStore(path);
store.createSession({ id: session, source: "test" });
for (let index = 0; index < Number(count); index++) {
	store.appendMessage(session, { role: "user", content: `${session} ${index}`.padEnd(Number(bytes)) });
	if (acknowledge !== undefined) writeSync(1, `${index}\n`);
}
