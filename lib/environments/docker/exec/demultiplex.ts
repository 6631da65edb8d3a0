/** Takes the engine's one stream apart: frames of eight bytes of header and a payload of standard output or standard error. */

/** 1 for output, 2 for errors; 0 would be an echo of the input and counts as output. */
const errorsType = 2;
const headerBytes = 8;

/** Where payloads go. A payload may come in several parts. */
export interface Sinks {
	output(chunk: Uint8Array): void;
	errors(chunk: Uint8Array): void;
}

/** Feeds `sinks` from chunks that may end anywhere. */
export function createDemultiplexer(sinks: Sinks): (chunk: Uint8Array) => void {
	const header = Buffer.alloc(headerBytes);
	let headerLength = 0;
	let left = 0;
	let sink = sinks.output;
	return (chunk) => {
		for (let at = 0; at < chunk.length; ) {
			if (left === 0) {
				const part = chunk.subarray(at, at + headerBytes - headerLength);
				header.set(part, headerLength);
				headerLength += part.length;
				at += part.length;
				if (headerLength < headerBytes) return;
				headerLength = 0;
				left = header.readUInt32BE(4);
				sink = header[0] === errorsType ? sinks.errors : sinks.output;
				continue;
			}
			const payload = chunk.subarray(at, at + left);
			sink(payload);
			left -= payload.length;
			at += payload.length;
		}
	};
}
