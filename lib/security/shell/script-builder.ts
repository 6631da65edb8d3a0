/** Collects words into commands, and commands into a script, while the lexer reads. */

import { CaseTracker } from "./case-tracker.ts";
import type { Redirection, ScriptItem, Word } from "./syntax.ts";

/** A here-document whose lines begin after the next line end. */
export interface PendingHereDocument {
	readonly redirection: Redirection;
	readonly delimiter: string;
	readonly quoted: boolean;
	readonly stripTabs: boolean;
}

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
		const redirection: Redirection = { operator, target };
		this.#redirections.push(redirection);
		if (operator !== "<<" && operator !== "<<-") return;
		this.#hereDocuments.push({
			redirection,
			delimiter: plainText(target),
			quoted: target.some((part) => part.kind === "text" && part.quoted),
			stripTabs: operator === "<<-",
		});
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
