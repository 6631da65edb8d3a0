/** The strategies for blocks that are not there as asked for: where they resemble one place only, and no line is another one. */

import { Likeness, Profiles } from "./likeness.ts";
import type { Strategy } from "./match.ts";
import { alikeFrom, isSameLine } from "./same-line.ts";
import { trimmedWindows } from "./strategies.ts";
import { TextLines } from "./text-lines.ts";
import { toPlain } from "./typography.ts";
import { strip } from "./white-space.ts";

/** Places that resemble the block. */
export interface NearBlocks {
	readonly strategy: Strategy;
	/** First lines, from 0. */
	readonly firsts: readonly number[];
	/** Of the best of them, from 0 to 1. */
	readonly similarity: number;
	/** There is one, and it is surely what was meant. */
	readonly isSure: boolean;
}

/** A block of which the middle, or the share of its lines, is less alike is no candidate. */
const middleAlone = 0.5;
const middleAmongOthers = 0.7;
const lineShare = 0.5;
/** What a block must have to be written over: lines, mean likeness, and distance to the next best. */
const fewestLines = 3;
const meanFrom = 0.9;
const margin = 0.15;
/** Blocks that are compared really: those that can be most alike. */
const mostBlocks = 60;

interface Block {
	readonly first: number;
	/** By which the strategy chooses. */
	readonly score: number;
}

/** Compares one block with a text; what was compared once is kept. */
export class NearSearch {
	readonly likeness: Likeness;
	readonly #text: TextLines;
	/** Plain and stripped. */
	readonly #wanted: readonly string[];

	constructor(text: TextLines, lines: readonly string[], likeness = new Likeness()) {
		this.#wanted = lines.map((line) => strip(toPlain(line)));
		// The lines of the plain text are those of the text.
		this.#text = text.plain === text.text ? text : new TextLines(text.plain);
		this.likeness = likeness;
	}

	/** First and last line are equal, and what is between them is alike. */
	byAnchors(): NearBlocks | undefined {
		const count = this.#wanted.length;
		const [head = "", tail = ""] = [this.#wanted[0], this.#wanted.at(-1)];
		if (count < 2 || head === "" || tail === "") return undefined;
		const firsts = trimmedWindows(this.#text, { text: head, lines: [head] }).filter(
			(first) => strip(this.#text.lines[first + count - 1] ?? "") === tail,
		);
		if (firsts.length === 0) return undefined;
		const middle = this.#wanted.slice(1, -1).join("\n");
		const blocks = firsts.map((first) => {
			const between = this.#text.lines.slice(first + 1, first + count - 1).map(strip);
			return { first, score: this.likeness.ratio(middle, between.join("\n")) };
		});
		const from = firsts.length === 1 ? middleAlone : middleAmongOthers;
		return this.#chosen(
			"block_anchor",
			blocks.filter(({ score }) => score >= from),
			0,
		);
	}

	/** At least half of the lines that are not blank are alike. */
	byLines(): NearBlocks | undefined {
		const telling = this.#wanted.flatMap((line, index) => (line === "" ? [] : [index]));
		// One line that is nearly right is as likely another line.
		if (telling.length < 2 || this.#wanted.length > this.#text.lines.length) return undefined;
		const candidates = this.#candidates(telling);
		const scores = Float64Array.from(candidates, ({ score }) => score).sort();
		// No block that is left out is more alike than this.
		const unmeasured = scores.at(-1 - mostBlocks) ?? 0;
		const blocks = candidates
			.filter(({ score }) => score > unmeasured)
			.flatMap(({ first }) => this.#measured(first, telling));
		return this.#chosen("context_aware", blocks, unmeasured);
	}

	/** Blocks of which enough lines can be alike, with the most that each can be. */
	#candidates(telling: readonly number[]): Block[] {
		const lines = this.#text.stripped;
		const sums = new Float64Array(lines.length - this.#wanted.length + 1);
		const hits = new Uint16Array(sums.length);
		const profiles = new Profiles(lines);
		for (const index of telling) {
			const boundOf = profiles.boundsOf(this.#wanted[index] ?? "", alikeFrom);
			for (let first = 0; first < sums.length; first++) {
				const bound = boundOf(first + index);
				if (bound === 0) continue;
				sums[first] = (sums[first] ?? 0) + bound;
				hits[first] = (hits[first] ?? 0) + 1;
			}
		}
		const blocks: Block[] = [];
		for (const [first, count] of hits.entries()) {
			if (count >= telling.length * lineShare) blocks.push({ first, score: (sums[first] ?? 0) / telling.length });
		}
		return blocks;
	}

	/** The block with its real likeness; nothing when too few lines are alike. */
	#measured(first: number, telling: readonly number[]): Block[] {
		const ratios = telling
			.map((index) => this.likeness.ratio(this.#wanted[index] ?? "", this.#text.stripped[first + index] ?? ""))
			.filter((ratio) => ratio >= alikeFrom);
		const score = ratios.reduce((sum, ratio) => sum + ratio, 0) / telling.length;
		return ratios.length >= telling.length * lineShare ? [{ first, score }] : [];
	}

	#chosen(strategy: Strategy, blocks: readonly Block[], unmeasured: number): NearBlocks | undefined {
		const [best, next] = blocks.toSorted((a, b) => b.score - a.score);
		if (best === undefined) return undefined;
		const similarity = this.#meanAt(best.first);
		const isAlone = best.score - Math.max(next?.score ?? 0, unmeasured) >= margin;
		const isSure = isAlone && similarity >= meanFrom && this.#isSameAt(best.first) && !this.likeness.isExhausted;
		const firsts = isSure ? [best.first] : blocks.map(({ first }) => first).sort((a, b) => a - b);
		return { strategy, firsts, similarity, isSure };
	}

	#meanAt(first: number): number {
		const ratios = this.#wanted.map((line, index) =>
			this.likeness.ratio(line, strip(this.#text.lines[first + index] ?? "")),
		);
		return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
	}

	#isSameAt(first: number): boolean {
		if (this.#wanted.filter((line) => line !== "").length < fewestLines) return false;
		return this.#wanted.every((wanted, index) => {
			const line = strip(this.#text.lines[first + index] ?? "");
			return line === wanted || (this.likeness.ratio(wanted, line) >= alikeFrom && isSameLine(wanted, line));
		});
	}
}
