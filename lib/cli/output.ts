/** Writing to standard output and standard error so that nothing is lost, however slow the reader is. */

import { writeSync } from "node:fs";
import { isatty } from "node:tty";

/** One of our two streams. */
export interface Output {
	readonly isTerminal: boolean;
	/** Returns when all of `text` is on its way to the reader; after the reader went away it is dropped. */
	write(text: string): void;
}

/** Another process that shares the pipe may have made it non-blocking; then a full pipe is tried again after this. */
const retryMs = 2;

/**
 * The stream behind descriptor `fd`. Writes block: a slow reader slows us down instead of filling our memory.
 * `onClosed` is called once, when the reader has gone away (`hermes … | head`).
 */
export function openOutput(fd: number, onClosed: () => void = () => {}): Output {
	let closed = false;
	return {
		isTerminal: isatty(fd),
		write(text) {
			const bytes = Buffer.from(text);
			let offset = 0;
			while (!closed && offset < bytes.length) {
				const written = writeSome(fd, bytes.subarray(offset));
				closed = written === "closed";
				if (written !== "closed") offset += written;
				else onClosed();
			}
		},
	};
}

function writeSome(fd: number, bytes: Uint8Array): number | "closed" {
	try {
		return writeSync(fd, bytes);
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
		if (code === "EPIPE") return "closed";
		if (code !== "EAGAIN") throw cause;
		Bun.sleepSync(retryMs);
		return 0;
	}
}
