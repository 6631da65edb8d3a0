/** What a terminal shows: a small emulator, enough for editors, pagers and prompts. Colours are not kept. */

import type { TerminalSize } from "../process-record.ts";
import { Cells } from "./cells.ts";
import { act } from "./sequences.ts";

/** A terminal's screen. */
export interface Screen {
	/** Takes what the program writes; gives what the terminal has to answer, mostly nothing. */
	push(bytes: Uint8Array): string;
	resize(size: TerminalSize): void;
	/** The rows, without the spaces at their ends, and the cursor, counted from 1. */
	show(): { readonly rows: readonly string[]; readonly cursor: { readonly row: number; readonly column: number } };
	/** The program asked that arrow keys are sent in the form of applications. */
	readonly usesApplicationKeys: boolean;
}

/** An empty screen. */
export function createScreen(size: TerminalSize): Screen {
	const decoder = new TextDecoder("utf-8");
	const cells = new Cells(size);
	/** The beginning of a sequence that is not complete. */
	let rest = "";
	return {
		push(bytes) {
			const text = rest + decoder.decode(bytes, { stream: true });
			const { answer, unfinished } = feed(cells, text);
			rest = unfinished;
			return answer;
		},
		resize: (next) => cells.resize(next),
		show: () => ({
			rows: cells.rows(),
			cursor: { row: cells.row + 1, column: Math.min(cells.column, cells.columns - 1) + 1 },
		}),
		get usesApplicationKeys() {
			return cells.usesApplicationKeys;
		},
	};
}

/** A sequence that has not ended after so many characters never will. */
const longestSequence = 4_096;

const graphics = new Intl.Segmenter();

/** CSI, OSC and other strings with their end, then other escapes; `~` stands for the escape character, `"` for the bell. */
const sequence = new RegExp(
	[
		String.raw`~(?:\[(?<parameters>[0-?]*)(?<between>[ -/]*)(?<final>[@-}\x7e])`,
		String.raw`\](?:[^"~]|~(?!\\))*(?:"|~\\)`,
		String.raw`[PX^_](?:[^~]|~(?!\\))*~\\`,
		String.raw`(?<charset>[()*+#%\-./][ -}])`,
		String.raw`(?<single>[^[\]PX^_()*+#%\-./]))`,
	]
		.join("|")
		.replaceAll("~", "\x1b")
		.replaceAll('"', "\x07"),
	"y",
);

function feed(cells: Cells, text: string): { answer: string; unfinished: string } {
	let answer = "";
	let at = 0;
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code === 0x1b) {
			sequence.lastIndex = at;
			const found = sequence.exec(text);
			if (found === null) {
				if (text.length - at < longestSequence) return { answer, unfinished: text.slice(at) };
				at++;
				continue;
			}
			answer += act(cells, found.groups ?? {});
			at += found[0].length;
		} else if (code < 0x20 || code === 0x7f) {
			control(cells, code);
			at++;
		} else {
			const end = endOfText(text, at);
			print(cells, text.slice(at, end));
			at = end;
		}
	}
	return { answer, unfinished: "" };
}

function endOfText(text: string, from: number): number {
	let end = from;
	while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) !== 0x7f) end++;
	return end;
}

function print(cells: Cells, text: string): void {
	// Plain ASCII needs no look at what belongs together.
	if (/^[ -~]*$/.test(text)) for (const character of text) cells.put(character, 1);
	else for (const { segment } of graphics.segment(text)) cells.put(segment, Bun.stringWidth(segment));
}

function control(cells: Cells, code: number): void {
	if (code === 0x08) cells.moveTo(cells.row, cells.column - 1);
	else if (code === 0x09) cells.moveTo(cells.row, Math.min(cells.columns - 1, (Math.floor(cells.column / 8) + 1) * 8));
	else if (code >= 0x0a && code <= 0x0c) cells.lineFeed();
	else if (code === 0x0d) cells.moveTo(cells.row, 0);
	else if (code === 0x0e || code === 0x0f) cells.useLines(code === 0x0e);
}
