/** Follows what feeds what in a script: pipes between commands, and between whole groups of them. */

import type { FunctionDefinition } from "./functions.ts";
import type { Source } from "./sight.ts";

interface Group {
	/** The function whose body it is; empty for any other group. */
	readonly label: string;
	readonly made: ReadonlySet<Source>;
	readonly inherited: ReadonlySet<Source>;
}

const none: ReadonlySet<Source> = new Set();
/** Nearly every pipeline has one kind. */
const alone: Readonly<Record<Source, ReadonlySet<Source>>> = {
	download: new Set(["download"]),
	decoder: new Set(["decoder"]),
	"process-ids": new Set(["process-ids"]),
	other: new Set(["other"]),
};
const opening = new Set(["{", "while", "until", "for", "if", "case", "select"]);
const closing = new Set(["}", "done", "fi", "esac"]);

/** One script, item by item. Sets have at most four members, so nothing grows with the script. */
export class Pipeline {
	readonly #groups: Group[] = [];
	readonly #labels = new Map<string, number>();
	/** Of the group that opens next. */
	#label = "";
	/** What the pipeline so far prints. */
	#made: ReadonlySet<Source> = none;
	/** What the whole group gets from outside. */
	#inherited: ReadonlySet<Source>;
	#all: ReadonlySet<Source> = none;
	#feeding: ReadonlySet<Source>;

	/** `fed`: what the script as a whole is fed from. */
	constructor(fed: ReadonlySet<Source>) {
		this.#inherited = fed;
		this.#feeding = fed;
	}

	/** What the next command is fed from. */
	get feeding(): ReadonlySet<Source> {
		return this.#feeding;
	}

	/** Everything that any command of the script prints. */
	get all(): ReadonlySet<Source> {
		return this.#all;
	}

	/** A command begins with the word `first`; `defined` is the function whose definition it begins. */
	begin(first: string, defined?: Pick<FunctionDefinition, "name" | "opensHere">): void {
		if (defined !== undefined) this.#label = defined.name;
		if (opening.has(first) || defined?.opensHere === true) this.open();
		else if (closing.has(first)) this.close();
		else if (defined === undefined) this.#label = "";
	}

	/** What runs now is part of the body of the function `name`. */
	isWithin(name: string): boolean {
		return (this.#labels.get(name) ?? 0) > 0;
	}

	ran(source: Source): void {
		this.#made = withSource(this.#made, source);
		this.#all = withSource(this.#all, source);
	}

	open(): void {
		const label = this.#label;
		this.#label = "";
		this.#labels.set(label, (this.#labels.get(label) ?? 0) + 1);
		this.#groups.push({ label, made: this.#made, inherited: this.#inherited });
		this.#inherited = this.#feeding;
		this.#made = none;
	}

	close(): void {
		const outer = this.#groups.pop();
		if (outer === undefined) return;
		this.#labels.set(outer.label, (this.#labels.get(outer.label) ?? 1) - 1);
		for (const source of outer.made) this.#made = withSource(this.#made, source);
		this.#inherited = outer.inherited;
	}

	operator(text: string): void {
		if (text === "|" || text === "|&") {
			this.#feeding = this.#made;
			return;
		}
		this.#feeding = this.#inherited;
		// A group prints what all its commands do.
		if (this.#groups.length === 0) this.#made = none;
	}
}

function withSource(sources: ReadonlySet<Source>, source: Source): ReadonlySet<Source> {
	if (sources.has(source)) return sources;
	return sources.size === 0 ? alone[source] : new Set([...sources, source]);
}
