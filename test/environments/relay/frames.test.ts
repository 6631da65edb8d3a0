import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	encodeFrame,
	type Frame,
	FrameReader,
	fromRelay,
	longestFrameBytes,
	ProtocolBroken,
} from "../../../lib/environments/relay/frames.ts";

/** All frames in `chunks`. */
function read(chunks: readonly Uint8Array[]): Frame[] {
	const frames: Frame[] = [];
	const reader = new FrameReader();
	for (const chunk of chunks) reader.push(chunk, (frame) => frames.push(frame));
	return frames;
}

/** `bytes` in pieces of the given sizes, and the rest. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
	const pieces: Buffer[] = [];
	let at = 0;
	for (const size of sizes) {
		pieces.push(bytes.subarray(at, at + size));
		at += size;
	}
	return [...pieces, bytes.subarray(at)];
}

/** Neighbours of one stream put together: where they are cut says nothing. */
function joined(frames: readonly Frame[]): Frame[] {
	const whole: Frame[] = [];
	for (const frame of frames) {
		const last = whole.at(-1);
		const isMore = last?.kind === fromRelay.output && frame.kind === last.kind && frame.number === last.number;
		if (isMore) whole.splice(-1, 1, { ...frame, body: Buffer.concat([last.body, frame.body]) });
		else whole.push(frame);
	}
	return whole;
}

describe("FrameReader", () => {
	const frame = fc.record({
		kind: fc.constantFrom(fromRelay.done, fromRelay.output),
		number: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
		body: fc.uint8Array({ minLength: 1, maxLength: 300 }),
	});

	test("push() gives the same frames wherever the bytes are cut", () => {
		fc.assert(
			fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.integer({ min: 0, max: 90 })), (frames, sizes) => {
				const bytes = Buffer.concat(frames.map(({ kind, number, body }) => encodeFrame(kind, number, body)));
				const wanted = frames.map(({ kind, number, body }) => ({ kind, number, body: Buffer.from(body) }));
				expect(joined(read(cut(bytes, sizes)))).toEqual(joined(wanted));
			}),
		);
	});

	test("push() gives frames without a body", () => {
		const bytes = Buffer.concat([encodeFrame(fromRelay.done, 1), encodeFrame(fromRelay.outputEnd, 2)]);
		const wanted = [
			{ kind: fromRelay.done, number: 1, body: Buffer.alloc(0) },
			{ kind: fromRelay.outputEnd, number: 2, body: Buffer.alloc(0) },
		];
		expect([read([bytes]), read(cut(bytes, Array(18).fill(1)))]).toEqual([wanted, wanted]);
	});

	const header = (length: number, kind: number) => {
		const bytes = Buffer.alloc(9);
		bytes.writeUInt32BE(length, 0);
		bytes.writeUInt8(kind, 4);
		return bytes;
	};
	test.each([
		["a frame that is too long", header(longestFrameBytes + 1, fromRelay.output)],
		["the longest length there is", header(2 ** 32 - 1, fromRelay.output)],
		["output without bytes", header(0, fromRelay.output)],
		["an exit code that is cut short", header(3, fromRelay.exit)],
		["a kind that does not exist", header(0, 99)],
		["kind 0", header(0, 0)],
	])("push() refuses %s before it keeps anything", (_name, bytes) => {
		expect(() => read([bytes])).toThrow(ProtocolBroken);
		expect(() => read(cut(bytes, [5]))).toThrow(ProtocolBroken);
	});
});
