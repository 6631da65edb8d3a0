/** The last part of an output, line by line, each line with its number since the beginning. */

/** Lines and how far they reach. */
export interface LineRange {
	/** Without their ends. */
	readonly lines: readonly string[];
	/** Number of the first of them, from 0. */
	readonly first: number;
	/** The last of them has no end yet. */
	readonly endsOpen: boolean;
	/** Lines before the first that belong together with it: a private key may have begun there. */
	readonly before: readonly string[];
}

/** A line that never ends is taken apart. */
const longestLine = 16 * 1024;

/** No private key has more lines. */
const longestKeyLines = 400;

/** Takes bytes, keeps the end of them. */
export class RollingLines {
	readonly #limit: number;
	readonly #decoder = new TextDecoder("utf-8");
	/** Lines before `#start` are dropped; the array is cut when that is most of it. */
	#lines: string[] = [];
	#start = 0;
	/** Number of `#lines[0]`. */
	#base = 0;
	#characters = 0;
	#open = "";

	/** `limit` in characters. */
	constructor(limit: number) {
		this.#limit = limit;
	}

	/** Whole lines that there were, kept or not. */
	get total(): number {
		return this.#base + this.#lines.length;
	}

	/** Takes the next bytes; gives the lines that are complete with them. */
	push(bytes: Uint8Array): readonly string[] {
		return this.#add(this.#decoder.decode(bytes, { stream: true }));
	}

	/** Nothing comes any more: a line without an end is a line now. */
	end(): readonly string[] {
		const rest = this.#add(this.#decoder.decode());
		return this.#open === "" ? rest : [...rest, ...this.#add("\n")];
	}

	/** Something is missing here. */
	skip(note: string): void {
		this.#add(this.#open === "" ? `${note}\n` : `\n${note}\n`);
	}

	/** From line `from` to before `to`, as far as they are kept; the open line is one of them. */
	range(from: number, to = Number.POSITIVE_INFINITY): LineRange {
		const first = Math.min(Math.max(from, this.#base + this.#start), this.total);
		const lines = this.#lines.slice(first - this.#base, Math.max(0, Math.min(to, this.total) - this.#base));
		const endsOpen = this.#open !== "" && to > this.total;
		if (endsOpen) lines.push(this.#open);
		return { lines, first, endsOpen, before: this.#openKeyBefore(first - this.#base) };
	}

	#openKeyBefore(index: number): string[] {
		for (let at = index - 1; at >= Math.max(this.#start, index - longestKeyLines); at--) {
			const line = this.#lines[at] ?? "";
			if (line.includes("-----END ")) return [];
			if (line.includes("-----BEGIN ")) return this.#lines.slice(at, index);
		}
		return [];
	}

	#add(text: string): readonly string[] {
		const parts = (this.#open + text).split("\n");
		this.#open = parts.pop() ?? "";
		while (this.#open.length > longestLine) {
			parts.push(this.#open.slice(0, longestLine));
			this.#open = this.#open.slice(longestLine);
		}
		for (const line of parts) {
			this.#lines.push(line);
			this.#characters += line.length + 1;
		}
		this.#dropOld();
		return parts;
	}

	#dropOld(): void {
		while (this.#characters > this.#limit && this.#start < this.#lines.length - 1) {
			const line = this.#lines[this.#start] ?? "";
			this.#characters -= line.length + 1;
			this.#lines[this.#start] = "";
			this.#start++;
		}
		if (this.#start < 4_096 || this.#start * 2 < this.#lines.length) return;
		this.#base += this.#start;
		this.#lines = this.#lines.slice(this.#start);
		this.#start = 0;
	}
}
