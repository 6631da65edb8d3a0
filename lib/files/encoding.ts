/** How the characters of a text file are written, so that a change keeps it that way. */

import { decodeUtf8, textKind } from "./text.ts";

/** `latin-1` stands for every text of one byte per character: it leads back to the same bytes whatever they meant. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin-1";

/** A text with the way back to its bytes; a byte order mark is its first character. */
export interface DecodedText {
	readonly text: string;
	readonly encoding: Encoding;
}

/** `bytes` as text; undefined when they are none. Encoding the text again gives the same bytes. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
	const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
	if (mark === "fffe") return decodeUtf16(bytes, "utf-16le");
	if (mark === "feff") return decodeUtf16(bytes, "utf-16be");
	if (bytes.includes(0)) return undefined;
	const text = decodeUtf8(bytes);
	if (text !== undefined) return { text, encoding: "utf-8" };
	return textKind(bytes, true) === "text"
		? { text: Buffer.from(bytes).toString("latin1"), encoding: "latin-1" }
		: undefined;
}

/** The bytes of `text`; undefined when it has characters that `encoding` cannot write. */
export function encodeText(text: string, encoding: Encoding): Uint8Array | undefined {
	if (!text.isWellFormed()) return undefined;
	if (encoding === "utf-8") return new TextEncoder().encode(text);
	if (encoding === "utf-16le") return Buffer.from(text, "utf16le");
	if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16();
	return isLatin1(text) ? Buffer.from(text, "latin1") : undefined;
}

function decodeUtf16(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): DecodedText | undefined {
	if (bytes.length % 2 !== 0) return undefined;
	const copy = Buffer.from(bytes);
	const text = (encoding === "utf-16be" ? copy.swap16() : copy).toString("utf16le");
	return text.isWellFormed() ? { text, encoding } : undefined;
}

function isLatin1(text: string): boolean {
	for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return false;
	return true;
}
