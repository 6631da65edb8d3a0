/** A program that runs commands on the local backend, for tests that kill it: `bun local-session.ts FIRST SECOND [wait|dispose]`. */

import { execute } from "../../lib/environments/shell/execute.ts";
import { openLocal, openLocalShell } from "./local-sandbox.ts";

const [first = "true", second = "true", then] = process.argv.slice(2);
const signal = new AbortController().signal;
const sandbox = await openLocal();
const shell = await openLocalShell(sandbox);
await execute(shell, first, { signal });
await execute(shell, second, { signal, onOutput: (text) => process.stdout.write(text) });
if (then === "wait") await Bun.sleep(60_000);
if (then === "dispose") {
	await shell[Symbol.asyncDispose]();
	await sandbox[Symbol.asyncDispose]();
}
