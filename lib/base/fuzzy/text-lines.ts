/** A text and its lines, split on line feeds alone, each view made when it is first asked for. */

import { toPlain } from "./typography.ts";
import { strip } from "./white-space.ts";

/** A text and what is worked out of its lines, each only once it is needed. */
export class TextLines {
	readonly text: string;
	#lines: readonly string[] | undefined;
	#stripped: readonly string[] | undefined;
	#plain: string | undefined;
	#starts: Uint32Array | undefined;

	constructor(text: string) {
		this.text = text;
	}

	/** Without their line feeds; a text that ends in one has an empty last line. */
	get lines(): readonly string[] {
		this.#lines ??= this.text.split("\n");
		return this.#lines;
	}

	/** The lines without white space at their ends. */
	get stripped(): readonly string[] {
		this.#stripped ??= this.lines.map(strip);
		return this.#stripped;
	}

	/** The text with plain quotes, dashes and blanks; the same string when it has no others. */
	get plain(): string {
		this.#plain ??= toPlain(this.text);
		return this.#plain;
	}

	/** Where line `index` (from 0) begins. */
	startOf(index: number): number {
		return this.#allStarts[index] ?? this.text.length;
	}

	/** Where line `index` ends: at its line feed, or at the end of the text. */
	endOf(index: number): number {
		return index + 1 < this.lines.length ? this.startOf(index + 1) - 1 : this.text.length;
	}

	/** The line (from 0) that holds the character at `offset`. */
	lineAt(offset: number): number {
		const starts = this.#allStarts;
		let low = 0;
		let high = starts.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if ((starts[middle] ?? 0) <= offset) low = middle;
			else high = middle;
		}
		return low;
	}

	get #allStarts(): Uint32Array {
		this.#starts ??= startsOf(this.lines);
		return this.#starts;
	}
}

function startsOf(lines: readonly string[]): Uint32Array {
	const starts = new Uint32Array(lines.length);
	let at = 0;
	for (const [index, line] of lines.entries()) {
		starts[index] = at;
		at += line.length + 1;
	}
	return starts;
}
