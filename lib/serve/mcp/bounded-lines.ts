/** Lines of a stream that never fill the memory: one that is too long is told as such and its rest is dropped. */

import { createBreather } from "../../base/breather.ts";

/** A line, or that there was one. */
export type BoundedLine = { readonly isTooLong: false; readonly text: string } | { readonly isTooLong: true };

const lineEnd = 0x0a;

/** Lines without their ends; a last one needs none. Who never stops writing does not keep signals and timers waiting. Invalid UTF-8 becomes U+FFFD. `longest` is in bytes. */
export async function* readBoundedLines(
	bytes: ReadableStream<Uint8Array>,
	longest: number,
): AsyncGenerator<BoundedLine> {
	// Parts are joined once, at the end of their line: joining at each chunk would take the square of its length.
	let parts: Uint8Array[] = [];
	let length = 0;
	const add = (part: Uint8Array) => {
		length += part.length;
		if (length <= longest) parts.push(part);
		else parts = [];
	};
	const finish = (): BoundedLine => {
		const line: BoundedLine =
			length > longest
				? { isTooLong: true }
				: { isTooLong: false, text: new TextDecoder().decode(Buffer.concat(parts)) };
		parts = [];
		length = 0;
		return line;
	};
	const breathe = createBreather();
	for await (const chunk of bytes) {
		let from = 0;
		for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, from)) {
			add(chunk.subarray(from, at));
			yield finish();
			from = at + 1;
			const others = breathe();
			if (others !== undefined) await others;
		}
		// A copy: what the stream gave may be overwritten by what it gives next.
		if (from < chunk.length) add(chunk.slice(from));
	}
	if (length > 0) yield finish();
}
