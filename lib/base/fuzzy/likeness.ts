/** How alike two texts are (Ratcliff and Obershelp: 2·M/T), cheaply: bounds first, and the work is limited. */

/** Steps that one search may spend on comparing characters; some 20 ms. */
const defaultWork = 4_000_000;
const buckets = 16;
/** What a profile can count up to in a bucket. */
const mostCounted = 255;

/** Computes ratios and keeps them, until its work is used up. */
export class Likeness {
	readonly #comparers = new Map<string, { readonly compare: Comparer; readonly known: Map<string, number> }>();
	#work: number;

	constructor(work: number = defaultWork) {
		this.#work = work;
	}

	/** Some pairs were taken for unlike because there was no work left for them. */
	get isExhausted(): boolean {
		return this.#work < 0;
	}

	/** How alike the two are, from 0 to 1; 0 when there is no work left. Fast for one `wanted` and many texts. */
	ratio(wanted: string, text: string): number {
		if (wanted === text) return 1;
		const total = wanted.length + text.length;
		const { compare, known } = this.#comparer(wanted);
		const before = known.get(text);
		if (before !== undefined) return before;
		if (this.#work < 0) return 0;
		const { matched, steps } = compare(text, this.#work);
		this.#work -= steps;
		const ratio = (2 * matched) / total;
		known.set(text, ratio);
		return ratio;
	}

	#comparer(wanted: string) {
		const made = this.#comparers.get(wanted) ?? { compare: comparer(wanted), known: new Map<string, number>() };
		this.#comparers.set(wanted, made);
		return made;
	}
}

/** Stops, with what matched so far, once it took more steps than `most`. */
type Comparer = (text: string, most: number) => { readonly matched: number; readonly steps: number };

/** How alike the two are, from 0 to 1: the share of characters in the longest common block, and in the next ones on both sides of it. No character is left out for being frequent. */
export function likenessOf(wanted: string, text: string): number {
	const total = wanted.length + text.length;
	return total === 0 ? 1 : (2 * comparer(wanted)(text, Number.POSITIVE_INFINITY).matched) / total;
}

/** What is known of a text that is compared with many: for every character, where it is, from right to left. */
interface Indexed {
	readonly length: number;
	readonly positions: ReadonlyMap<number, readonly number[]>;
	/** Length of the common block that ends before a position, and the row it was found in: others are out of date. */
	readonly lengths: Uint32Array;
	readonly rows: Int32Array;
}

function comparer(wanted: string): Comparer {
	const positions = new Map<number, number[]>();
	for (let at = wanted.length - 1; at >= 0; at--) {
		const code = wanted.charCodeAt(at);
		const known = positions.get(code);
		if (known === undefined) positions.set(code, [at]);
		else known.push(at);
	}
	const size = wanted.length + 1;
	const indexed = { length: wanted.length, positions, lengths: new Uint32Array(size), rows: new Int32Array(size) };
	return (text, most) => compareWith(indexed, text, most);
}

interface Range {
	readonly from: number;
	readonly to: number;
	readonly wantedFrom: number;
	readonly wantedTo: number;
}

function compareWith(indexed: Indexed, text: string, most: number): { matched: number; steps: number } {
	let matched = 0;
	let steps = 0;
	const open: Range[] = [{ from: 0, to: text.length, wantedFrom: 0, wantedTo: indexed.length }];
	for (let range = open.pop(); range !== undefined; range = open.pop()) {
		const block = longestBlock(indexed, text, { ...range, most: most - steps });
		steps += block.steps;
		if (steps > most) break;
		if (block.length === 0) continue;
		matched += block.length;
		const { from, to, wantedFrom, wantedTo } = range;
		if (from < block.at && wantedFrom < block.wantedAt)
			open.push({ from, to: block.at, wantedFrom, wantedTo: block.wantedAt });
		const [end, wantedEnd] = [block.at + block.length, block.wantedAt + block.length];
		if (end < to && wantedEnd < wantedTo) open.push({ from: end, to, wantedFrom: wantedEnd, wantedTo });
	}
	return { matched, steps };
}

/** The longest common block in a range, the first one of several. */
function longestBlock({ positions, lengths, rows }: Indexed, text: string, limits: Range & { readonly most: number }) {
	const { from, to, wantedFrom, wantedTo, most } = limits;
	// Clearing the rows is quick, but long texts are cleared often.
	const best = { at: from, wantedAt: wantedFrom, length: 0, steps: (wantedTo - wantedFrom) >> 4 };
	rows.fill(-2, wantedFrom, wantedTo + 1);
	for (let row = from; row < to && best.steps <= most; row++) {
		const columns = positions.get(text.charCodeAt(row)) ?? [];
		best.steps += columns.length + 1;
		for (const column of columns) {
			if (column < wantedFrom) break;
			if (column >= wantedTo) continue;
			const length = rows[column] === row - 1 ? (lengths[column] ?? 0) + 1 : 1;
			lengths[column + 1] = length;
			rows[column + 1] = row;
			keepBetter(best, { at: row - length + 1, wantedAt: column - length + 1, length });
		}
	}
	return best;
}

/** Of equally long blocks the first counts. */
function keepBetter(
	best: { at: number; wantedAt: number; length: number },
	{ at, wantedAt, length }: { at: number; wantedAt: number; length: number },
): void {
	if (length < best.length || (length === best.length && at !== best.at)) return;
	best.at = at;
	best.wantedAt = wantedAt;
	best.length = length;
}

/** Counts of the characters of many texts, by which most unlike pairs are told without comparing them. */
export class Profiles {
	readonly #lengths: Uint32Array;
	readonly #counts: Uint8Array;

	constructor(texts: readonly string[]) {
		this.#lengths = new Uint32Array(texts.length);
		this.#counts = new Uint8Array(texts.length * buckets);
		for (const [index, text] of texts.entries()) {
			this.#lengths[index] = text.length;
			count(text, this.#counts, index * buckets);
		}
	}

	/** No pair of `text` with one of the texts is more alike than what this answers for it; 0 when that is below `from`. */
	boundsOf(text: string, from: number): (index: number) => number {
		const own = new Uint8Array(buckets);
		count(text, own, 0);
		return (index) => {
			const length = this.#lengths[index] ?? 0;
			const total = length + text.length;
			const shorter = Math.min(length, text.length);
			if (2 * shorter < from * total || total === 0) return 0;
			// The counts of longer texts are cut, and the length alone is a bound.
			const areCut = length > mostCounted || text.length > mostCounted;
			const bound = (2 * (areCut ? shorter : this.#sharedWith(own, index * buckets))) / total;
			return bound < from ? 0 : bound;
		};
	}

	#sharedWith(own: Uint8Array, from: number): number {
		let shared = 0;
		for (let bucket = 0; bucket < buckets; bucket++) {
			const here = own[bucket] ?? 0;
			const there = this.#counts[from + bucket] ?? 0;
			shared += Math.min(here, there);
		}
		return shared;
	}
}

function count(text: string, counts: Uint8Array, from: number): void {
	const end = Math.min(text.length, mostCounted);
	for (let at = 0; at < end; at++) {
		const bucket = from + (text.charCodeAt(at) & (buckets - 1));
		counts[bucket] = (counts[bucket] ?? 0) + 1;
	}
}
