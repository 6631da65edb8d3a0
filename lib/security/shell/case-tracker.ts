/** Tells the patterns of a `case` from commands: in `reboot) start ;;` the first word is a pattern and runs nothing. */

const mayStandBefore = new Set(["if", "then", "elif", "else", "while", "until", "do", "{", "!", "time"]);

/** Follows one script word by word. */
export class CaseTracker {
	#open = 0;
	#inPattern = false;
	#patternWords = 0;
	/** Number of the word `case` in the current command; 0 when it has none. */
	#caseAt = 0;
	#onlyReserved = true;

	/** The next word belongs to a pattern. */
	get inPattern(): boolean {
		return this.#inPattern;
	}

	/** Word number `index` (from 1) of a command. Returns whether the patterns begin after it. */
	word(index: number, text: string): boolean {
		if (index === 1) {
			this.#caseAt = 0;
			this.#onlyReserved = true;
			if (text === "esac" && this.#open > 0) this.#open--;
		}
		if (text === "case" && this.#onlyReserved) this.#caseAt = index;
		if (!mayStandBefore.has(text)) this.#onlyReserved = false;
		if (this.#caseAt === 0 || index !== this.#caseAt + 2 || text !== "in") return false;
		this.#open++;
		this.#startPattern();
		return true;
	}

	patternWord(text: string): void {
		if (text === "esac" && this.#patternWords === 0) {
			this.#open--;
			this.#inPattern = false;
		}
		this.#patternWords++;
	}

	patternEnd(): void {
		this.#inPattern = false;
	}

	operator(text: string): void {
		if (this.#open > 0 && (text === ";;" || text === ";&" || text === ";;&")) this.#startPattern();
	}

	#startPattern(): void {
		this.#inPattern = true;
		this.#patternWords = 0;
	}
}
