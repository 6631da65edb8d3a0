/** A process that opens a database and prints what it says: `open-store-process.ts PATH [hold]`. */

import { openStore } from "../../lib/store/database.ts";

const [path = "", hold] = process.argv.slice(2);
try {
	using store = openStore(path, { onWarning: (message) => void process.stdout.write(`warning: ${message}\n`) });
	process.stdout.write(`opened with ${store.listSessions().length} sessions\n`);
	if (hold === "hold") await Bun.sleep(60_000);
} catch (cause) {
	process.stdout.write(`${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}\n`);
	process.exitCode = 1;
}
