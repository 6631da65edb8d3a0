/** Names in a folder that somebody may have meant. */

import { posix } from "node:path";

const mostNames = 5;

/** The entries of `names` that look like `wanted`, best first, at most 5. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
	return names
		.map((name) => ({ name, score: likeness(wanted.toLowerCase(), name.toLowerCase()) }))
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score)
		.slice(0, mostNames)
		.map(({ name }) => name);
}

function likeness(wanted: string, name: string): number {
	if (wanted === name) return 100;
	const [wantedType, type] = [posix.extname(wanted), posix.extname(name)];
	if (posix.basename(wanted, wantedType) === posix.basename(name, type)) return 90;
	if (wanted.startsWith(name) || name.startsWith(wanted)) return 70;
	if (name.includes(wanted)) return 60;
	if (name.length > 2 && wanted.includes(name)) return 40;
	return wantedType !== "" && wantedType === type && sharedLetters(wanted, name) >= 0.4 ? 30 : 0;
}

/** Distinct letters that both have, as a share of the longer name. */
function sharedLetters(a: string, b: string): number {
	const letters = new Set(a);
	const shared = [...new Set(b)].filter((letter) => letters.has(letter)).length;
	return shared / Math.max(a.length, b.length);
}
