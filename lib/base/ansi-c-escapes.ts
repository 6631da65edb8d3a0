/** The one-letter escapes of bash's `$'…'`. */

/** Letter to character; hexadecimal, octal and Unicode escapes are for the reader of the text. */
export const ansiCEscapes: Readonly<Record<string, string>> = {
	a: "\x07",
	b: "\b",
	e: "\x1b",
	E: "\x1b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
	v: "\v",
};
