/** The passwords of one session for sudo: what the settings say, else what the user typed, remembered as long as the session. */

/** Where passwords come from. */
export interface SudoSource {
	/** As the user has set it; an empty one is tried as it is, and nobody is asked. */
	readonly configured?: string | undefined;
	/** Asks the person at the keyboard without showing what is typed; undefined when they decline. Absent where nobody is there. */
	ask?(text: string, signal: AbortSignal): Promise<string | undefined>;
}

/** How long a question waits for an answer. */
const patienceMs = 45_000;

/** The passwords of one session. No other session sees them. */
export class SudoPasswords {
	readonly #source: SudoSource;
	/** By the place where they are good. */
	readonly #typed = new Map<string, string>();
	/** Questions of commands side by side are one question. */
	readonly #asking = new Map<string, Promise<string | undefined>>();
	/** Every password that was ever typed, also wrong ones, to be masked. */
	readonly secrets = new Set<string>();

	constructor(source: SudoSource = {}) {
		this.#source = source;
	}

	/** Whether it is worth while to stand in for the terminal that sudo would ask on. */
	get canAnswer(): boolean {
		return this.#source.configured !== undefined || this.#source.ask !== undefined;
	}

	/** Whether a password for `place` is at hand, so that nobody has to be asked. */
	knows(place: string): boolean {
		return this.#source.configured !== undefined || this.#typed.has(place);
	}

	/** The password for `place`; undefined when there is none. */
	async get(place: string, signal: AbortSignal): Promise<string | undefined> {
		const known = this.#source.configured ?? this.#typed.get(place);
		if (known !== undefined) return known;
		const asking = this.#asking.get(place) ?? this.#ask(place, signal);
		this.#asking.set(place, asking);
		try {
			return await asking;
		} finally {
			this.#asking.delete(place);
		}
	}

	/** The password for `place` was not taken: the next command asks anew. */
	forget(place: string): void {
		this.#typed.delete(place);
	}

	async #ask(place: string, signal: AbortSignal): Promise<string | undefined> {
		const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
		const text = `sudo on ${place} needs your password (Enter to go on without):`;
		const typed = await this.#source.ask?.(text, limit);
		if (typed === undefined || typed === "" || /[\r\n\0]/.test(typed)) return undefined;
		this.#typed.set(place, typed);
		this.secrets.add(typed);
		return typed;
	}
}
