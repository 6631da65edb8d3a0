/** The standard streams of a local process: what it is given, and what of ours to read, write and close. */

import { closeSync, writeSync } from "node:fs";
import type { StartOptions } from "../backend.ts";
import type { Pipes } from "./pipes.ts";
import type { OutputSource } from "./read-until-end.ts";

/** What a child gets as its input, and what happens once it runs or could not be started. */
export interface InputEnd {
	readonly stdio: "ignore" | number;
	/** The child's end was handed over: ours is closed and the bytes go in. */
	started(): WritableStream<Uint8Array> | undefined;
	abandon(): void;
}

/** What a child gets as its output. */
export interface OutputEnd {
	readonly stdio: number;
	started(): OutputSource;
	abandon(): void;
}

/** A merged output. Whoever still writes when we have read enough goes on writing to a process that only reads. */
export function openOutput(pipes: Pipes): OutputEnd {
	const { readEnd, writeEnd } = pipes.open();
	pipes.setNonBlocking(readEnd, true);
	return {
		stdio: writeEnd,
		started() {
			closeSync(writeEnd);
			return {
				stream: Bun.file(readEnd).stream(),
				descriptor: readEnd,
				release(atEnd) {
					if (!atEnd) discard(pipes, readEnd);
					closeSync(readEnd);
				},
			};
		},
		abandon() {
			closeSync(readEnd);
			closeSync(writeEnd);
		},
	};
}

/** Input as `stdin` asks for; bytes that do not fit into the pipe follow while the child reads. */
export function openInput(pipes: Pipes, stdin: StartOptions["stdin"]): InputEnd {
	if (stdin === "none") return { stdio: "ignore", started: () => undefined, abandon() {} };
	const { readEnd, writeEnd } = pipes.open();
	pipes.setNonBlocking(writeEnd, true);
	return {
		stdio: readEnd,
		started() {
			closeSync(readEnd);
			if (stdin === "pipe") return writableOf(writeEnd);
			void feed(writeEnd, stdin);
			return undefined;
		},
		abandon() {
			closeSync(readEnd);
			closeSync(writeEnd);
		},
	};
}

/** A server that an ended call left running would die of SIGPIPE, now or when this process ends. */
function discard(pipes: Pipes, readEnd: number): void {
	pipes.setNonBlocking(readEnd, false);
	// sh ends at once, so nothing of it stays with us for as long as the server runs.
	Bun.spawn(["/bin/sh", "-c", "exec cat <&3 3<&- &"], {
		stdio: ["ignore", "ignore", "ignore", readEnd],
		detached: true,
		cwd: "/",
		env: { PATH: "/usr/bin:/bin" },
	}).unref();
}

async function feed(descriptor: number, bytes: Uint8Array): Promise<void> {
	try {
		const written = writeNow(descriptor, bytes);
		if (written < bytes.length) await writeAll(Bun.file(descriptor).writer(), bytes.subarray(written));
	} catch (cause) {
		// A command may end without reading its input.
		if (!isBrokenPipe(cause)) throw cause;
	} finally {
		closeSync(descriptor);
	}
}

async function writeAll(sink: Bun.FileSink, bytes: Uint8Array): Promise<void> {
	await sink.write(bytes);
	await sink.flush();
	await sink.end();
}

function writableOf(descriptor: number): WritableStream<Uint8Array> {
	const sink = Bun.file(descriptor).writer();
	const close = async () => {
		await sink.end();
		closeSync(descriptor);
	};
	return new WritableStream<Uint8Array>({
		async write(chunk) {
			await sink.write(chunk);
			await sink.flush();
		},
		close,
		abort: close,
	});
}

function writeNow(descriptor: number, bytes: Uint8Array): number {
	try {
		return bytes.length === 0 ? 0 : writeSync(descriptor, bytes);
	} catch (cause) {
		if (cause instanceof Error && "code" in cause && cause.code === "EAGAIN") return 0;
		throw cause;
	}
}

function isBrokenPipe(cause: unknown): boolean {
	return cause instanceof Error && "code" in cause && cause.code === "EPIPE";
}
