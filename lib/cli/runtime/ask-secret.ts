/** One line that is not shown while it is typed. */

import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Shows `prompt` and reads a line; undefined at the end of input or when `signal` aborts. Nothing else may read standard input. */
export async function askSecret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
	if (signal.aborted) return undefined;
	// The interface echoes what is typed to its output, and so it gets one that shows nothing.
	const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
	const input = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
	// Not before the terminal has stopped to show what is typed.
	process.stderr.write(prompt);
	const { promise, resolve } = Promise.withResolvers<string | undefined>();
	const onAbort = () => resolve(undefined);
	signal.addEventListener("abort", onAbort, { once: true });
	input.on("line", resolve);
	input.on("close", onAbort);
	// The terminal is in raw mode here, so Ctrl-C arrives as a key; the process treats it like any other.
	input.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
	try {
		return await promise;
	} finally {
		signal.removeEventListener("abort", onAbort);
		input.close();
		process.stderr.write("\n");
	}
}
