/** BM25: which texts answer a query best. */

import { wordsOf } from "./words.ts";

const saturation = 1.5;
const lengthWeight = 0.75;

/** A text that can be found; `key` breaks ties. */
export interface Entry {
	readonly key: string;
	readonly text: string;
}

/** The entries that share a word with `query`, best first; ties in order of their keys. */
export function rank<T extends Entry>(query: string, entries: readonly T[]): T[] {
	const wanted = new Set(wordsOf(query));
	const documents = entries.map((entry) => ({ entry, counts: countsOf(wordsOf(entry.text)) }));
	const averageLength = documents.reduce((sum, { counts }) => sum + counts.length, 0) / Math.max(1, documents.length);
	const scores = documents.map(({ entry, counts }) => {
		let score = 0;
		for (const word of wanted) {
			const frequency = counts.byWord.get(word) ?? 0;
			if (frequency === 0) continue;
			const having = documents.filter((other) => other.counts.byWord.has(word)).length;
			const rarity = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
			const relative = counts.length / Math.max(1, averageLength);
			score +=
				(rarity * frequency * (saturation + 1)) /
				(frequency + saturation * (1 - lengthWeight + lengthWeight * relative));
		}
		return { entry, score };
	});
	return scores
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score || (a.entry.key < b.entry.key ? -1 : 1))
		.map(({ entry }) => entry);
}

function countsOf(words: readonly string[]) {
	const byWord = new Map<string, number>();
	for (const word of words) byWord.set(word, (byWord.get(word) ?? 0) + 1);
	return { byWord, length: words.length };
}
