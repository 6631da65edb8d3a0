/** Bytes to and from the relay, over the streams of the process that it is. */

import { type Frame, FrameReader } from "./frames.ts";

/** The streams of a relay. */
export interface WireEnds {
	readonly stdin: WritableStream<Uint8Array>;
	readonly output: ReadableStream<Uint8Array>;
}

/** A connection to a relay. */
export interface Wire {
	/** Frames of one moment go out together. */
	send(frame: Uint8Array): void;
	/** Ends the relay's input: it ends what it started and exits. Never fails. */
	close(): Promise<void>;
}

/** Who listens. `ended` comes once, last, and says why; after it nothing is sent. */
export interface WireListener {
	frame(frame: Frame): void;
	ended(cause: unknown): void;
}

/** Connects to a relay. */
export function openWire({ stdin, output }: WireEnds, listener: WireListener): Wire {
	const writer = stdin.getWriter();
	let waiting: Uint8Array[] = [];
	let isWriting = false;
	let isEnded = false;
	const end = (cause: unknown) => {
		if (isEnded) return;
		isEnded = true;
		waiting = [];
		listener.ended(cause);
	};
	const write = async () => {
		// Whatever else this turn of the loop sends goes along.
		await Promise.resolve();
		while (waiting.length > 0) {
			const [first, ...others] = waiting;
			waiting = [];
			if (first === undefined) continue;
			await writer.write(others.length === 0 ? first : Buffer.concat([first, ...others]));
		}
		isWriting = false;
	};
	const read = async () => {
		const frames = new FrameReader();
		for await (const chunk of output) {
			if (isEnded) return;
			frames.push(chunk, (frame) => {
				if (!isEnded) listener.frame(frame);
			});
		}
		throw new Error("its output has ended");
	};
	read().catch(end);
	return {
		send(frame) {
			if (isEnded) return;
			waiting.push(frame);
			if (isWriting) return;
			isWriting = true;
			write().catch(end);
		},
		async close() {
			isEnded = true;
			// A pipe that is broken or full is as closed as it gets.
			await writer.close().catch(() => undefined);
		},
	};
}
