/** Scripts that are written without spaces between words, where an index of words finds nothing. */

/** Chinese, Japanese and Korean, Bopomofo, Thai, Lao, Khmer and Burmese. */
const unspacedScript =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/** Whether one of `texts` has a character of such a script: its row belongs into the trigram index too. */
export function isUnspaced(...texts: readonly (string | null)[]): boolean {
	return texts.some((text) => text !== null && unspacedScript.test(text));
}
