/** A process that takes a lock, says so, and keeps it until it is killed: `lock-holder.ts PATH`. */

import { tryFileLock } from "../../lib/base/file-lock.ts";

const lock = tryFileLock(process.argv[2] ?? "");
process.stdout.write(lock ? "held\n" : "busy\n");
setInterval(() => lock, 1000);
