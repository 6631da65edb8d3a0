/** Bytes of a file as text: what is text at all, its encoding, and its line ends. */

/** What the bytes of a file are. */
export type TextKind = "text" | "binary" | "utf-16";

/** More control characters than this share make a file binary. */
const controlShare = 0.3;

/**
 * What the start of a file says about it. `isWhole`: `sample` is the whole file; else its last character may be cut, which
 * is no sign of anything.
 */
export function textKind(sample: Uint8Array, isWhole: boolean): TextKind {
	if (startsWith(sample, [0xff, 0xfe]) || startsWith(sample, [0xfe, 0xff])) return "utf-16";
	if (sample.includes(0)) return "binary";
	const text = new TextDecoder("utf-8").decode(isWhole ? sample : withoutCutCharacter(sample));
	let controls = 0;
	for (let at = 0; at < text.length; at++) if (isControl(text.charCodeAt(at))) controls++;
	return controls > text.length * controlShare ? "binary" : "text";
}

/** Line feed, carriage return and tab are part of texts. */
function isControl(code: number): boolean {
	return (code < 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) || code === 0x7f;
}

/** `bytes` as UTF-8 text, its byte order mark included; undefined when they are something else. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		// A decoder set to fatal has no other way to say it.
		return undefined;
	}
}

/** `bytes` without an incomplete UTF-8 character at their end. */
export function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
	for (let back = 1; back <= 3 && back <= bytes.length; back++) {
		const byte = bytes[bytes.length - back] ?? 0;
		if ((byte & 0xc0) === 0x80) continue;
		return byte >= 0xc0 && back < characterLength(byte) ? bytes.subarray(0, bytes.length - back) : bytes;
	}
	return bytes;
}

/** The byte order mark, as text. */
export const byteOrderMark = "\ufeff";

/** The line end that most lines of `text` have; `\n` when it has none. */
export function lineEndOf(text: string): "\n" | "\r\n" {
	let lines = 0;
	let carriageReturns = 0;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
		lines++;
		if (text[at - 1] === "\r") carriageReturns++;
	}
	return carriageReturns * 2 > lines ? "\r\n" : "\n";
}

/** `text` with every line end turned into `lineEnd`; a lone carriage return is no line end. */
export function withLineEnds(text: string, lineEnd: "\n" | "\r\n"): string {
	const folded = text.replaceAll("\r\n", "\n");
	return lineEnd === "\n" ? folded : folded.replaceAll("\n", "\r\n");
}

function characterLength(first: number): number {
	if (first >= 0xf0) return 4;
	return first >= 0xe0 ? 3 : 2;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
	return prefix.every((byte, index) => bytes[index] === byte);
}
