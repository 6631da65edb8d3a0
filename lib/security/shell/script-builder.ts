/** Collects words into commands, and commands into a script, while the lexer reads. */

import { CaseTracker } from "./case-tracker.ts";
import type { Redirection, ScriptItem, Word } from "./syntax.ts";

/** A here-document whose lines begin after the next line end. */
export interface PendingHereDocument {
	readonly redirection: Redirection;
	readonly delimiter: string;
	readonly quoted: boolean;
	readonly stripTabs: boolean;
	/** May be no here-document at all: what follows is read in both ways. */
	readonly isDoubtful: boolean;
}

/** Where the delimiter of a here-document stands. */
export type WrittenDelimiter = Pick<PendingHereDocument, "isDoubtful"> & { readonly written: string };

/** One script under construction. */
export class ScriptBuilder {
	readonly #items: ScriptItem[] = [];
	readonly #cases = new CaseTracker();
	#words: Word[] = [];
	#redirections: Redirection[] = [];
	#hereDocuments: PendingHereDocument[] = [];

	get inCasePattern(): boolean {
		return this.#cases.inPattern;
	}

	word(word: Word): void {
		if (this.#cases.inPattern) this.#cases.patternWord(plainText(word));
		else {
			this.#words.push(word);
			if (this.#cases.word(this.#words.length, plainText(word))) this.#endCommand();
		}
	}

	operator(text: string): void {
		if (this.#cases.inPattern) return;
		this.#endCommand();
		this.#items.push({ kind: "operator", text });
		this.#cases.operator(text);
	}

	parenthesis(opens: boolean): void {
		if (this.#cases.inPattern) {
			if (!opens) this.#cases.patternEnd();
			return;
		}
		this.#endCommand();
		this.#items.push({ kind: opens ? "open" : "close" });
	}

	redirection(operator: string, target: Word): void {
		this.#redirections.push({ operator, target });
	}

	/** `written`: the delimiter as it stands in the text; a shell expands nothing in it. */
	hereDocument(operator: string, target: Word, { written, isDoubtful }: WrittenDelimiter): void {
		const redirection: Redirection = { operator, target };
		this.#redirections.push(redirection);
		const isPlain = target.every(({ kind }) => kind === "text");
		this.#hereDocuments.push({
			redirection,
			delimiter: isPlain ? plainText(target) : written.replace(/\\(.)|['"]/gs, "$1"),
			quoted: isPlain ? target.some((part) => part.kind === "text" && part.quoted) : /['"\\]/.test(written),
			stripTabs: operator === "<<-",
			isDoubtful: isDoubtful || /\$['"]/.test(written),
		});
	}

	/** Commands that were read elsewhere. */
	items(items: readonly ScriptItem[]): void {
		for (const item of items) this.#items.push(item);
	}

	takeHereDocuments(): PendingHereDocument[] {
		const pending = this.#hereDocuments;
		this.#hereDocuments = [];
		return pending;
	}

	finish(): ScriptItem[] {
		this.#endCommand();
		return this.#items;
	}

	#endCommand(): void {
		if (this.#words.length === 0 && this.#redirections.length === 0) return;
		this.#items.push({ kind: "command", words: this.#words, redirections: this.#redirections });
		this.#words = [];
		this.#redirections = [];
	}
}

function plainText(word: Word): string {
	return word.map((part) => (part.kind === "text" ? part.text : "")).join("");
}
