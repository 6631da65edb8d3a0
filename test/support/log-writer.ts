/** A process that writes numbered lines to the log: `log-writer.ts HOME WHO COUNT`. */

import { createLogger } from "../../lib/log/logger.ts";

const [home = "", who = "", count = "0"] = process.argv.slice(2);
const log = createLogger({ home, redact: (text) => text, maxBytes: 60_000, backups: 100 });
const session = log.inSession(who);
for (let index = 0; index < Number(count); index++) {
	session.info(`line ${index} ${"x".repeat(index % 50)}`);
	if (index % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
}
// Without closing: what is waiting must not be lost when the process ends.
process.exit(0);
