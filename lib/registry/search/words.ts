/** From text to the words a search compares, in any script. */

/** Scripts that put no blanks between words: every two neighbours count as one. */
const unspaced =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** Lower-case words of letters and digits, in the order of the text; `readFile` counts as `read` and `file` too. */
export function wordsOf(text: string): string[] {
	const plain = text.normalize("NFKC");
	const split = plain.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
	return (split.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap(piecesOf);
}

function piecesOf(run: string): string[] {
	const pieces: string[] = [];
	let end = 0;
	for (const match of run.matchAll(unspaced)) {
		if (match.index > end) pieces.push(run.slice(end, match.index));
		pieces.push(...pairsOf([...match[0]]));
		end = match.index + match[0].length;
	}
	if (end < run.length) pieces.push(run.slice(end));
	return pieces;
}

function pairsOf(characters: readonly string[]): string[] {
	if (characters.length === 1) return [...characters];
	return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
