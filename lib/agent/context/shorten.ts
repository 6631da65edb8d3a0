/** Cuts the middle out of long texts. */

/** At most about `most` characters: the beginning and the end, and how many are missing between. Never half a character. */
export function shortened(text: string, most: number): string {
	return shortenedTo(text, Math.ceil(most * 0.7), Math.floor(most * 0.3));
}

/** `head` characters of the beginning and `tail` of the end. */
export function shortenedTo(text: string, head: number, tail: number): string {
	if (text.length <= head + tail) return text;
	const start = text.slice(0, head).replace(/[\uD800-\uDBFF]$/, "");
	const end = tail === 0 ? "" : text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, "");
	return `${start}… [${text.length - start.length - end.length} characters left out] …${end}`;
}
