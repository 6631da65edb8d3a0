/** Words for a POSIX shell. */

/** `word` so that a shell reads exactly it; left as it is when it has no character that a shell would read otherwise. */
export function quoteWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line that runs the program `words[0]` with the rest as its arguments. */
export function quoteWords(words: readonly string[]): string {
	const [program = "", ...rest] = words;
	// An unquoted `a=b` at the start would be an assignment, and an alias or keyword would be taken for one.
	const first = `'${program.replaceAll("'", `'\\''`)}'`;
	return [first, ...rest.map(quoteWord)].join(" ");
}
