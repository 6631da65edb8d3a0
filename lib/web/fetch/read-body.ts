/** The body of an answer, as far as it is not too long. */

/** `isCut`: there was more. */
export interface Body {
	readonly bytes: Uint8Array;
	readonly isCut: boolean;
}

/** Reads at most `limit` bytes, counted after decompression, and lets the rest go. */
export async function readBody(response: Response, limit: number): Promise<Body> {
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of response.body ?? []) {
		parts.push(part.subarray(0, limit - size));
		size += part.length;
		// Leaving the loop cancels the stream.
		if (size > limit) break;
	}
	return { bytes: new Uint8Array(Buffer.concat(parts)), isCut: size > limit };
}
