/** Pieces are found in a stream, however it is cut. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { ChunkReader } from "../../../lib/environments/daytona/exec/chunks.ts";

const mark = "\x1emark";

test("push() gives the same pieces however the stream is cut", () => {
	const bytes = fc.uint8Array({ maxLength: 300 });
	const parts = fc.array(fc.tuple(fc.constantFrom("h", "o", "e", "x"), bytes), { minLength: 1, maxLength: 6 });
	const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
	fc.assert(
		fc.property(bytes, parts, cuts, (noise, pieces, sizes) => {
			fc.pre(!Buffer.from(noise).includes("\x1e"));
			const wire = Buffer.concat([
				Buffer.from(noise),
				...pieces.flatMap(([letter, content], index) => [
					Buffer.from(`${mark} ${letter} ${index} ${content.length}\n`),
					Buffer.from(content),
				]),
			]);
			const whole = new ChunkReader(mark).push(wire);
			expect(whole.map(({ bytes }) => [...bytes])).toEqual(pieces.map(([, content]) => [...content]));
			const reader = new ChunkReader(mark);
			const seen = [];
			for (let at = 0, turn = 0; at < wire.length; turn++) {
				const size = sizes[turn % sizes.length] ?? 1;
				seen.push(...reader.push(wire.subarray(at, at + size)));
				at += size;
			}
			expect(seen).toEqual(whole);
		}),
	);
});

test("push() passes over a heading that is none", () => {
	const reader = new ChunkReader(mark);
	const [piece] = reader.push(Buffer.from(`${mark} q 1 1\n${mark} o x 1\n${mark} o 7 2\nhi`));
	expect(piece).toEqual({ kind: "output", number: 7, bytes: Buffer.from("hi") });
});
