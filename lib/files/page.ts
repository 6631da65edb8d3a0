/** The lines of a page, from bytes to what a model reads. */

import { decodeText, type Encoding } from "./encoding.ts";
import { byteOrderMark, decodeUtf8, textKind, withoutCutCharacter } from "./text.ts";

/** Some lines of a file, as text. */
export interface Page {
	readonly lines: readonly string[];
	readonly encoding: Encoding;
}

const lineFeed = 0x0a;

/** The lines in `bytes`, each cut after `lineBytes`. `isStart`: they are the first of the file. */
export function splitPage(bytes: Uint8Array, isStart: boolean, lineBytes: number): Page {
	const decoded = splitLines(bytes).map((line) => decodeLine(line, lineBytes));
	const lines = decoded.map(({ text }) => text.replace(/\r$/, ""));
	const [first] = lines;
	if (isStart && first?.startsWith(byteOrderMark)) lines[0] = first.slice(1);
	return { lines, encoding: decoded.some(({ isLatin1 }) => isLatin1) ? "latin-1" : "utf-8" };
}

/** The lines `from` (from 1) to `to` of a whole file, and how many it has; undefined when it is no text. */
export function pageOfWhole(
	bytes: Uint8Array,
	{ from, to }: { readonly from: number; readonly to: number },
): (Page & { readonly total: number }) | undefined {
	const decoded = decodeText(bytes);
	if (decoded === undefined || textKind(bytes, true) === "binary") return undefined;
	return { ...pageOfText(decoded.text, { from, to }), encoding: decoded.encoding };
}

/** The lines `from` (from 1) to `to` of a text, and how many it has. */
export function pageOfText(
	text: string,
	{ from, to }: { readonly from: number; readonly to: number },
): Page & { readonly total: number } {
	const lines = text.replace(byteOrderMark, "").split("\n");
	if (lines.at(-1) === "") lines.pop();
	const shown = lines.slice(from - 1, to).map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
	return { lines: shown, encoding: "utf-8", total: lines.length };
}

/** `N|text`, without padding, from line `firstNumber` on; lines are cut after `longestLine` characters. */
export function numberLines(lines: readonly string[], firstNumber: number, longestLine: number): string {
	return lines.map((line, index) => `${firstNumber + index}|${shorten(line, longestLine)}`).join("\n");
}

function shorten(line: string, longestLine: number): string {
	if (line.length <= longestLine) return line;
	const inPair = /[\ud800-\udbff]/.test(line[longestLine - 1] ?? "");
	return `${line.slice(0, inPair ? longestLine - 1 : longestLine)}... [truncated]`;
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
	const lines: Uint8Array[] = [];
	let start = 0;
	for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, start)) {
		lines.push(bytes.subarray(start, at));
		start = at + 1;
	}
	if (start < bytes.length) lines.push(bytes.subarray(start));
	return lines;
}

function decodeLine(bytes: Uint8Array, lineBytes: number): { text: string; isLatin1: boolean } {
	// A line of this length was cut, perhaps inside a character.
	const whole = bytes.length < lineBytes ? bytes : withoutCutCharacter(bytes);
	const text = decodeUtf8(whole);
	return text === undefined
		? { text: Buffer.from(bytes).toString("latin1"), isLatin1: true }
		: { text, isLatin1: false };
}
