/**
 * The frames between this process and the relay, a helper inside a sandbox. A frame is a header (length of the body, kind,
 * number) and a body; numbers are big-endian. What the sandbox sends is checked here before anything is done or kept.
 */

/** Both sides speak the same version, or the relay is not used. */
export const protocolVersion = 1;

/** Bytes that may be on their way in one stream and direction. */
export const windowBytes = 1 << 20;

/** The relay's frames are shorter: chunks of 64 KB, or a path. */
export const longestFrameBytes = 1 << 17;

/** The body of one frame of ours that carries input. */
export const inputChunkBytes = 1 << 16;

/** Numbers from here on are given by the relay, to connections. */
export const firstConnection = 2 ** 31;

/** Connections that the relay may have open; it accepts fewer. */
export const mostConnections = 256;

const headerBytes = 9;

/** What this side sends. */
export const toRelay = {
	start: 1,
	data: 2,
	dataEnd: 3,
	window: 4,
	kill: 5,
	resize: 6,
	listen: 7,
	close: 8,
	file: 9,
	ping: 10,
} as const;

/** What the relay sends. */
export const fromRelay = {
	hello: 1,
	started: 2,
	failed: 3,
	output: 4,
	control: 5,
	outputEnd: 6,
	controlEnd: 7,
	exit: 8,
	credit: 9,
	done: 10,
	open: 11,
	closed: 12,
	inputClosed: 13,
} as const;

/** Why the relay did not do what it was asked to. */
export const failure = {
	notFound: 1,
	notExecutable: 2,
	refused: 3,
	noFolder: 4,
	lost: 5,
	cancelled: 6,
	file: 7,
} as const;

/** What a relay can do besides starting processes. */
export const capability = { spawn: 1, adopt: 2, look: 4, tar: 8, listen: 16, terminal: 32 } as const;

/** One frame from the relay. The body belongs to whoever gets it. */
export interface Frame {
	readonly kind: number;
	readonly number: number;
	readonly body: Buffer;
}

/** The other side does not keep to the protocol: whatever it says from now on is not listened to. */
export class ProtocolBroken extends Error {
	override readonly name = "ProtocolBroken";
}

/** Least and most bytes in the body of each kind of frame. */
const bodyBytes: ReadonlyMap<number, readonly [least: number, most: number]> = new Map([
	[fromRelay.hello, [19, 200]],
	[fromRelay.started, [5, 8_192]],
	[fromRelay.failed, [5, 4_096]],
	[fromRelay.output, [1, longestFrameBytes]],
	[fromRelay.control, [1, longestFrameBytes]],
	[fromRelay.outputEnd, [0, 0]],
	[fromRelay.controlEnd, [0, 0]],
	[fromRelay.exit, [4, 4]],
	[fromRelay.credit, [4, 4]],
	[fromRelay.done, [0, 8_192]],
	[fromRelay.open, [4, 4]],
	[fromRelay.closed, [0, 0]],
	[fromRelay.inputClosed, [0, 0]],
]);

/** Kinds of which a part is as good as the whole: what has come is handed on, and nothing of it is copied or kept. */
const streamed: ReadonlySet<number> = new Set([fromRelay.output, fromRelay.control]);

/** Cuts what arrives into frames. It keeps at most one that is not complete, and none that only carries bytes of a stream. */
export class FrameReader {
	readonly #header = Buffer.alloc(headerBytes);
	#headerLength = 0;
	#body: Buffer | undefined;
	/** Of the body, how much has come. */
	#bodyLength = 0;

	/** Calls `onFrame` for every frame that `chunk` completes, and for parts of streams. @throws {ProtocolBroken} */
	push(chunk: Uint8Array, onFrame: (frame: Frame) => void): void {
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
		for (let at = 0; at < bytes.length; ) {
			at += this.#headerLength < headerBytes ? this.#takeHeader(bytes, at) : 0;
			if (this.#headerLength === headerBytes) at += this.#takeBody(bytes.subarray(at), onFrame);
		}
	}

	#takeHeader(bytes: Buffer, at: number): number {
		const taken = bytes.copy(this.#header, this.#headerLength, at, at + headerBytes - this.#headerLength);
		this.#headerLength += taken;
		if (this.#headerLength === headerBytes) checkLength(this.#header);
		return taken;
	}

	/** Takes what belongs to the frame whose header has come. */
	#takeBody(bytes: Buffer, onFrame: (frame: Frame) => void): number {
		const kind = this.#header.readUInt8(4);
		const part = bytes.subarray(0, this.#header.readUInt32BE(0) - this.#bodyLength);
		const isLast = part.length === this.#header.readUInt32BE(0) - this.#bodyLength;
		const number = this.#header.readUInt32BE(5);
		if (streamed.has(kind)) {
			this.#bodyLength += part.length;
			if (isLast) this.#begin();
			if (part.length > 0) onFrame({ kind, number, body: part });
			return part.length;
		}
		const body = this.#bodyLength === 0 && isLast ? part : this.#collect(part);
		if (isLast) {
			this.#begin();
			onFrame({ kind, number, body });
		}
		return part.length;
	}

	#collect(part: Buffer): Buffer {
		this.#body ??= Buffer.allocUnsafe(this.#header.readUInt32BE(0));
		this.#bodyLength += part.copy(this.#body, this.#bodyLength);
		return this.#body;
	}

	#begin(): void {
		this.#headerLength = 0;
		this.#bodyLength = 0;
		this.#body = undefined;
	}
}

/** @throws {ProtocolBroken} Before anything is allocated for the body. */
function checkLength(header: Buffer): void {
	const length = header.readUInt32BE(0);
	const kind = header.readUInt8(4);
	const [least, most] = bodyBytes.get(kind) ?? [1, 0];
	if (length < least || length > most) {
		throw new ProtocolBroken(`Cannot read a frame of kind ${kind}: ${length} bytes`);
	}
}

/** One frame of ours. */
export function encodeFrame(kind: number, number: number, body: Uint8Array = nothing): Buffer {
	const frame = Buffer.allocUnsafe(headerBytes + body.length);
	frame.writeUInt32BE(body.length, 0);
	frame.writeUInt8(kind, 4);
	frame.writeUInt32BE(number, 5);
	frame.set(body, headerBytes);
	return frame;
}

const nothing = new Uint8Array(0);

/** Parts of a body: a text is its length and its bytes, a list is its length and its texts. */
export const part = {
	byte: (value: number) => Buffer.from([value]),
	short(value: number) {
		const bytes = Buffer.allocUnsafe(2);
		bytes.writeUInt16BE(value);
		return bytes;
	},
	number(value: number) {
		const bytes = Buffer.allocUnsafe(4);
		bytes.writeUInt32BE(value);
		return bytes;
	},
	long(value: number) {
		const bytes = Buffer.allocUnsafe(8);
		bytes.writeBigUInt64BE(BigInt(value));
		return bytes;
	},
	text: (value: string) => part.texts([value]).subarray(4),
	texts(values: readonly string[]) {
		const lengths = values.map((value) => Buffer.byteLength(value));
		const bytes = Buffer.allocUnsafe(4 + lengths.reduce((sum, length) => sum + 4 + length, 0));
		let at = bytes.writeUInt32BE(values.length);
		for (const [index, value] of values.entries()) {
			at = bytes.writeUInt32BE(lengths[index] ?? 0, at);
			at += bytes.write(value, at);
		}
		return bytes;
	},
} as const;
