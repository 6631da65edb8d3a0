/** How deep in parentheses the lexer is, and whether they are arithmetic, where `<<` is a shift. */

/** The parentheses of one script. */
export class Nesting {
	#open = 0;
	/** How many were open where `((` began. */
	#arithmetic: number | undefined;

	/** `isArithmetic`: the script may be that of `$((`. */
	constructor(isArithmetic: boolean) {
		this.#arithmetic = isArithmetic ? 0 : undefined;
	}

	get open(): number {
		return this.#open;
	}

	get isArithmetic(): boolean {
		return this.#arithmetic !== undefined;
	}

	/** Takes the next character outside of words. */
	take(char: string, next: string | undefined): void {
		if (char === "(") {
			if (next === "(") this.#arithmetic ??= this.#open;
			this.#open++;
		}
		if (char !== ")") return;
		this.#open = Math.max(0, this.#open - 1);
		if (this.#arithmetic !== undefined && this.#open <= this.#arithmetic) this.#arithmetic = undefined;
	}
}
