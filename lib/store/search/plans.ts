/** The readings of one query, from what was written to what may have been meant. */

import { type Node, parsePlainQuery, parseQuery, type Term, wantedTerms } from "./query.ts";

/** One way to understand a query. */
export interface Reading {
	readonly node: Node;
	/** How it differs from what was written: other endings of words count too, or not all words must be there. */
	readonly loosened?: "endings" | "some";
}

/** Letters a word must have to be taken for the beginning of another. */
const leastStem = 3;

/**
 * The readings in the order in which they are tried until one finds something. A search that gives nothing for what is there
 * is the worst there is; the reader is told when not everything was asked for any more.
 */
export function readingsOf(query: string): readonly Reading[] {
	const written = parseQuery(query);
	if (written === undefined) return [];
	const plain = parsePlainQuery(query) ?? written;
	const readings: Reading[] = [{ node: written }, { node: plain }];
	readings.push({ node: mapTerms(written, asStem), loosened: "endings" });
	const terms = wantedTerms(written);
	if (terms.length > 1) readings.push({ node: someOf(written, terms), loosened: "some" });
	return readings.filter(
		({ node }, at) => !readings.slice(0, at).some((earlier) => Bun.deepEquals(earlier.node, node)),
	);
}

function someOf(written: Node, terms: readonly Term[]): Node {
	const some: Node = { kind: "any", nodes: terms.map((term) => ({ kind: "term", term: asStem(term) })) };
	return written.kind === "but" ? { kind: "but", keep: some, drop: written.drop } : some;
}

function asStem(term: Term): Term {
	const canGrow = term.form === "word" && term.by === "words" && /^[\p{L}\p{N}]+$/u.test(term.text);
	return canGrow && term.text.length >= leastStem ? { ...term, form: "prefix" } : term;
}

function mapTerms(node: Node, change: (term: Term) => Term): Node {
	switch (node.kind) {
		case "term":
			return { kind: "term", term: change(node.term) };
		case "but":
			return { ...node, keep: mapTerms(node.keep, change) };
		default:
			return { kind: node.kind, nodes: node.nodes.map((part) => mapTerms(part, change)) };
	}
}
