/** What a script said, as a reader gets it: without colours and secrets, and no longer than allowed. */

import { KeepEnds } from "../base/keep-ends.ts";
import type { Redactor } from "../security/redact.ts";

/** Bytes of a stream that are kept until it has ended; far more than anybody is shown, so that secrets are seen whole. */
const keptBytes = 4 * 1024 * 1024;
/** Characters at the edge of what was dropped that may be half of a secret. */
const edgeLength = 4_096;
/** The end of an output usually says more than its start. */
const headShare = 0.4;

/** Gathers a stream. */
export class ScriptOutput {
	readonly #ends = new KeepEnds(keptBytes);
	/** Settles when the stream has ended. */
	readonly ended: Promise<void>;

	constructor(stream: ReadableStream<Uint8Array>, onText?: (text: string) => void) {
		this.ended = this.#collect(stream, onText);
		// Whoever waits for it is told; a script that was killed may be waited for no longer.
		this.ended.catch(() => undefined);
	}

	/** What was said so far: secrets are masked first and the middle is cut out then, so that no half of one is left. */
	text({ redact, limitBytes }: { readonly redact: Redactor; readonly limitBytes: number }): string {
		const { head, tail, omittedBytes } = this.#ends.kept();
		if (omittedBytes === 0) return cutBytes(redact(plain(Buffer.concat([head, tail]))), limitBytes, 0);
		const start = redact(plain(head).slice(0, -edgeLength));
		const end = redact(withoutKeyEnd(plain(tail).slice(edgeLength)));
		return cutBytes(`${start}\n${end}`, limitBytes, omittedBytes + 2 * edgeLength);
	}

	async #collect(stream: ReadableStream<Uint8Array>, onText: ((text: string) => void) | undefined): Promise<void> {
		const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
		for await (const chunk of stream) {
			this.#ends.push(chunk);
			const text = onText === undefined ? "" : decoder.decode(chunk, { stream: true });
			if (text !== "") onText?.(text);
		}
	}
}

function plain(bytes: Uint8Array): string {
	return Bun.stripANSI(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).replaceAll("\0", "\ufffd");
}

/** A private key whose first line was dropped cannot be told from text any more, but for its last line. */
function withoutKeyEnd(text: string): string {
	const end = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/.exec(text);
	if (end === null) return text;
	const begin = text.indexOf("-----BEGIN ");
	return begin >= 0 && begin < end.index ? text : `[private key removed]${text.slice(end.index + end[0].length)}`;
}

/** `text` with its middle taken out, on borders of characters, when it has more than `limit` bytes. */
function cutBytes(text: string, limit: number, omittedBefore: number): string {
	const bytes = Buffer.from(text);
	if (bytes.length <= limit && omittedBefore === 0) return text;
	const kept = Math.min(limit, bytes.length);
	const headEnd = borderBefore(bytes, Math.floor(kept * headShare));
	const tailStart = borderAfter(bytes, bytes.length - (kept - headEnd));
	const omitted = tailStart - headEnd + omittedBefore;
	const gap = `\n\n... [OUTPUT TRUNCATED - ${omitted} bytes omitted out of ${bytes.length + omittedBefore} total] ...\n\n`;
	return bytes.toString("utf8", 0, headEnd) + gap + bytes.toString("utf8", tailStart);
}

function isInside(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

function borderBefore(bytes: Uint8Array, at: number): number {
	let border = at;
	while (border > 0 && isInside(bytes[border])) border--;
	return border;
}

function borderAfter(bytes: Uint8Array, at: number): number {
	let border = at;
	while (isInside(bytes[border])) border++;
	return border;
}
