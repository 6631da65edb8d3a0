/** Characters that arrive as a backslash and a letter, because something between the model and us escaped once too often. */

const characters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
/** A pair of backslashes stands for itself. */
const sequence = /\\([\\ntr])/g;

/** `\n`, `\t` and `\r` as real characters; only those whose letters are in `letters`. */
export function unescapeText(text: string, letters = "ntr"): string {
	return text.replace(sequence, (whole, letter: string) =>
		letters.includes(letter) ? (characters[letter] ?? whole) : whole,
	);
}

/** The letters of the sequences in `text`. */
export function escapedLetters(text: string): string {
	return [...new Set([...text.matchAll(sequence)].map(([, letter]) => letter ?? ""))]
		.filter((letter) => letter in characters)
		.join("");
}

/** The replacement for a text that had to be unescaped: by the same letters, and tabs at the start of lines anyway. */
export function unescapeAlike(newText: string, letters: string): string {
	const isIndent = /^((?:[ \t]|\\t)+)/gm;
	return unescapeText(newText, letters).replace(isIndent, (indent) => indent.replaceAll("\\t", "\t"));
}

/** `\r` before line ends of `newText` as real ones, where the replaced text has real ones there. */
export function restoreCarriageReturns(newText: string, replaced: string): string {
	return replaced.includes("\r\n") && !replaced.includes("\\r") ? newText.replace(/(?<!\\)\\r(?=\n)/g, "\r") : newText;
}

const driftSequences = ["\\'", '\\"'];

/** The escaped quote that both texts have and the file has not: whoever wrote it into the file would damage it. */
export function driftedSequence(oldText: string, newText: string, replaced: string): string | undefined {
	return driftSequences.find(
		(quote) => oldText.includes(quote) && newText.includes(quote) && !replaced.includes(quote),
	);
}

/** `text` with its escaped quotes as plain ones. */
export function unescapeQuotes(text: string): string {
	return text.replaceAll("\\'", "'").replaceAll('\\"', '"');
}
