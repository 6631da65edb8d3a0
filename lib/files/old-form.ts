/** How a file is written that is about to be replaced, so that the new text can be written the same way. */

import { decodeText, type Encoding, encodeText } from "./encoding.ts";
import { bytesField, numberField } from "./run-script.ts";
import { byteOrderMark, withLineEnds } from "./text.ts";

/** What is there. Everything is missing when there is no file, or no text. */
export interface OldForm {
	readonly encoding: Encoding;
	readonly hasMark: boolean;
	readonly lineEnd: "\n" | "\r\n" | undefined;
	/** Some of its lines end in one way and some in the other. */
	readonly isMixed: boolean;
	/** The old text, where all of it was looked at. */
	readonly text?: string;
}

/** A new text as bytes. */
export interface Fitted {
	readonly bytes: Uint8Array;
	/** What could not stay as it was. */
	readonly warning?: string;
}

/** The form of the file that `inspectScript` has looked at. */
export function oldFormIn(fields: ReadonlyMap<string, string>): OldForm {
	const isWhole = fields.has("content");
	const bytes = bytesField(fields, isWhole ? "content" : "start");
	// The first bytes of a long file may end inside a character, which would look like another encoding.
	const decoded = decodeText(bytes) ?? decodeText(bytes.subarray(0, bytes.length & ~1));
	if (decoded === undefined) return { encoding: "utf-8", hasMark: false, lineEnd: undefined, isMixed: false };
	const { text, encoding } = decoded;
	const counts = isWhole
		? { lines: count(text, "\n"), crlf: count(text, "\r\n") }
		: { lines: numberField(fields, "newlines"), crlf: numberField(fields, "crlf") };
	return {
		encoding: isWhole || encoding !== "latin-1" ? encoding : "utf-8",
		hasMark: text.startsWith(byteOrderMark),
		lineEnd: counts.lines === 0 ? undefined : lineEndBy(counts),
		isMixed: counts.crlf > 0 && counts.crlf < counts.lines,
		...(isWhole && { text }),
	};
}

/** `content` in the form of the old file, where it can be written that way. */
export function fitForm(content: string, old: OldForm): Fitted {
	const text = old.lineEnd === "\r\n" ? withLineEnds(content, "\r\n") : content;
	const marked = old.hasMark && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text;
	const bytes = encodeText(marked, old.encoding);
	if (bytes === undefined) {
		const warning = "The file was Latin-1, which cannot write some of the new characters; it is UTF-8 now";
		return { bytes: new TextEncoder().encode(marked), warning };
	}
	if (!old.isMixed) return { bytes };
	const kept = old.lineEnd === "\r\n" ? "all of them end with CRLF now" : "the new text was written as it is";
	return { bytes, warning: `Some lines of the old file ended with CRLF and some with LF; ${kept}` };
}

function lineEndBy({ lines, crlf }: { readonly lines: number; readonly crlf: number }): "\n" | "\r\n" {
	return crlf * 2 > lines ? "\r\n" : "\n";
}

function count(text: string, part: string): number {
	let found = 0;
	for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++;
	return found;
}
