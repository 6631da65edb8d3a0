/** Standard output as the wire to a client: one that stops reading holds up its own messages and nothing else of us. */

import { write } from "node:fs";
import { promisify } from "node:util";

/** Another process that shares the pipe may have made it non-blocking; then a full pipe is tried again after this. */
const retryMs = 2;

/**
 * Writes to descriptor `fd`, in order. What is returned resolves when all of the text is on its way, or was dropped because the reader
 * has gone away; `onClosed` is then called once. Unlike a blocking write it leaves signals and the end of the input to be noticed.
 */
export function openWireOutput(fd: number, onClosed: () => void): (text: string) => Promise<void> {
	let isClosed = false;
	let last: Promise<void> = Promise.resolve();
	const writeAll = async (text: string) => {
		const bytes = Buffer.from(text);
		let offset = 0;
		while (!isClosed && offset < bytes.length) {
			const written = await writeSome(fd, bytes.subarray(offset));
			if (written === "closed") {
				isClosed = true;
				onClosed();
			} else offset += written;
		}
	};
	return (text) => {
		last = last.then(() => writeAll(text));
		return last;
	};
}

const writeBytes = promisify(write);

async function writeSome(fd: number, bytes: Uint8Array): Promise<number | "closed"> {
	try {
		return (await writeBytes(fd, bytes, 0, bytes.length, null)).bytesWritten;
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
		if (code === "EPIPE") return "closed";
		if (code !== "EAGAIN") throw cause;
		await Bun.sleep(retryMs);
		return 0;
	}
}
