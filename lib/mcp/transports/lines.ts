/** Lines of a stream of bytes, with a bound on how long one may be. */

import { createBreather } from "../../base/breather.ts";

/** What happens to a line that is too long: its rest is dropped, or reading stops. */
export interface LineLimit {
	/** Characters. */
	readonly limit: number;
	readonly cuts: boolean;
}

/** Calls `onLine` for each line; one who never stops writing does not keep signals and timers waiting. False when reading stopped at one that was too long. */
export async function eachLine(
	stream: ReadableStream<Uint8Array>,
	{ limit, cuts }: LineLimit,
	onLine: (line: string) => void,
): Promise<boolean> {
	const decoder = new TextDecoder();
	let parts: string[] = [];
	let length = 0;
	const breathe = createBreather();
	const add = (part: string) => {
		const kept = cuts ? part.slice(0, Math.max(0, limit - length)) : part;
		if (kept !== "") parts.push(kept);
		length += kept.length;
	};
	for await (const bytes of stream) {
		const pieces = decoder.decode(bytes, { stream: true }).split("\n");
		const last = pieces.pop() ?? "";
		for (const piece of pieces) {
			add(piece);
			onLine(parts.length === 1 ? (parts[0] ?? "") : parts.join(""));
			parts = [];
			length = 0;
			const others = breathe();
			if (others !== undefined) await others;
		}
		add(last);
		if (length > limit) return false;
	}
	if (length > 0) onLine(parts.join(""));
	return true;
}
