/** Bytes of a page as text, in the encoding that the server, the page or its first bytes name. */

import { TextDecoder } from "node:util";

/** How far a page may name its encoding (HTML standard). */
const prescanBytes = 1_024;

const marks: readonly (readonly [mark: readonly number[], encoding: string])[] = [
	[[0xef, 0xbb, 0xbf], "utf-8"],
	[[0xfe, 0xff], "utf-16be"],
	[[0xff, 0xfe], "utf-16le"],
];

/** Decodes `bytes`: a byte order mark beats `contentType`, that beats what the page says, and UTF-8 is for the rest. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
	const marked = marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
	const named = [marked, charsetOf(contentType), charsetInside(bytes)].map(decoderFor).find(Boolean);
	if (named !== undefined) return named.decode(bytes);
	const text = new TextDecoder().decode(bytes);
	// Not UTF-8 and nothing said: what most such pages are.
	return text.includes("\ufffd") && !isCutOnly(text) ? new TextDecoder("windows-1252").decode(bytes) : text;
}

/** Whether `bytes` are no text at all. */
export function isBinary(bytes: Uint8Array, contentType: string): boolean {
	const isWide = /utf-?16/i.test(charsetOf(contentType) ?? "") || bytes[0] === 0xfe || bytes[0] === 0xff;
	return !isWide && bytes.subarray(0, 4_096).includes(0);
}

function charsetOf(contentType: string): string | undefined {
	return /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1];
}

function charsetInside(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.subarray(0, prescanBytes)).toString("latin1");
	const found =
		/<meta[^>]{1,512}?charset\s*=\s*["']?([^\s"'>;/]+)/i.exec(head) ??
		/<\?xml[^>]{1,256}encoding=["']([^"']+)/i.exec(head);
	// The page could be read up to here, so it is not in two-byte units, whatever it says.
	return found?.[1] === undefined || /^utf-?16/i.test(found[1]) ? undefined : found[1];
}

/** Undefined for a name that nobody knows. */
function decoderFor(label: string | undefined): TextDecoder | undefined {
	if (label === undefined) return undefined;
	try {
		return new TextDecoder(label);
	} catch (cause) {
		if (cause instanceof RangeError) return undefined;
		throw cause;
	}
}

/** The last character of a page that was too long may be cut through. */
function isCutOnly(text: string): boolean {
	return text.indexOf("\ufffd") >= text.length - 3;
}
