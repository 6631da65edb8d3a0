/** Quotes, dashes, dots and blanks that editors put in the place of plain ones, and the way back from the plain text. */

const plainOf: Readonly<Record<string, string>> = {
	"“": '"',
	"”": '"',
	"‘": "'",
	"’": "'",
	"—": "--",
	"–": "-",
	"…": "...",
	"\u00a0": " ",
};
const special = /[“”‘’—–…\u00a0]/;
const allSpecial = /[“”‘’—–…\u00a0]/g;

/** A text with plain characters only. */
export interface PlainText {
	readonly text: string;
	/** Where the character at `offset` of the plain text is in the original; undefined inside of an expanded one. */
	original(offset: number): number | undefined;
}

interface Replacement {
	/** Where it ends in the plain text, and how long it is there. */
	readonly end: number;
	readonly length: number;
	/** Where the original character ends. */
	readonly originalEnd: number;
}

/** `text` with plain characters; the same string when it has no others. */
export function toPlain(text: string): string {
	return special.test(text) ? text.replace(allSpecial, (character) => plainOf[character] ?? character) : text;
}

/** The same with the way back. */
export function plainText(text: string): PlainText {
	const replacements: Replacement[] = [];
	let grown = 0;
	const plain = text.replace(allSpecial, (character, at: number) => {
		const replacement = plainOf[character] ?? character;
		grown += replacement.length - 1;
		replacements.push({ end: at + 1 + grown, length: replacement.length, originalEnd: at + 1 });
		return replacement;
	});
	return { text: plain, original: (offset) => originalOffset(replacements, offset) };
}

function originalOffset(replacements: readonly Replacement[], offset: number): number | undefined {
	let low = 0;
	let high = replacements.length;
	// The first replacement that ends behind the offset.
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((replacements[middle]?.end ?? 0) <= offset) low = middle + 1;
		else high = middle;
	}
	const next = replacements[low];
	if (next !== undefined && offset > next.end - next.length) return undefined;
	const before = replacements[low - 1];
	return before === undefined ? offset : before.originalEnd + offset - before.end;
}
