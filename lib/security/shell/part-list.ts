/** The pieces of one word while the lexer reads it. */

import type { Word, WordPart } from "./syntax.ts";

/** Joins neighbouring characters of the same quoting into one part. */
export class PartList {
	readonly #parts: WordPart[] = [];
	#pending: string[] = [];
	#quoted = false;
	#hasPending = false;

	text(text: string, quoted: boolean): void {
		if (this.#hasPending && this.#quoted !== quoted) this.#flush();
		this.#pending.push(text);
		this.#quoted = quoted;
		this.#hasPending = true;
	}

	push(part: WordPart): void {
		this.#flush();
		this.#parts.push(part);
	}

	finish(): Word {
		this.#flush();
		return this.#parts;
	}

	#flush(): void {
		if (this.#hasPending) this.#parts.push({ kind: "text", text: this.#pending.join(""), quoted: this.#quoted });
		this.#pending = [];
		this.#hasPending = false;
	}
}
