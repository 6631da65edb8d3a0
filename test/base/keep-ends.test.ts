/** The two ends of a byte stream. */

import { expect, test } from "bun:test";
import { KeepEnds } from "../../lib/base/keep-ends.ts";

test("KeepEnds() keeps the same bytes whatever the chunks are", () => {
	const bytes = Uint8Array.from({ length: 20_000 }, (_, index) => index % 251);
	for (const limit of [0, 1, 2, 3, 10, 4096, 9_999, 19_999, 20_000, 50_000]) {
		const headLength = Math.min(bytes.length, Math.floor(limit * 0.4));
		const tailLength = Math.min(bytes.length - headLength, limit - Math.floor(limit * 0.4));
		const wanted = {
			head: bytes.subarray(0, headLength).toHex(),
			tail: bytes.subarray(bytes.length - tailLength).toHex(),
			omittedBytes: bytes.length - headLength - tailLength,
		};
		for (const size of [1, 7, 1000, 20_000]) {
			const ends = new KeepEnds(limit);
			for (let at = 0; at < bytes.length; at += size) ends.push(bytes.subarray(at, at + size));
			const { head, tail, omittedBytes } = ends.kept();
			expect({ head: head.toHex(), tail: tail.toHex(), omittedBytes }).toEqual(wanted);
		}
	}
});
