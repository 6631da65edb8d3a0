/** White space as Python's `str.strip` knows it: with U+001C to U+001F and U+0085, without U+FEFF. `trim()` differs on exactly those. */

/** Whether the character of this code is white space. */
function isWhiteSpace(code: number): boolean {
	if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f);
	return (
		code === 0x85 ||
		code === 0xa0 ||
		code === 0x1680 ||
		(code >= 0x2000 && code <= 0x200a) ||
		code === 0x2028 ||
		code === 0x2029 ||
		code === 0x202f ||
		code === 0x205f ||
		code === 0x3000
	);
}

/** `text` without white space at both ends. */
export function strip(text: string): string {
	// Most lines begin and end with a letter or a sign.
	if (isPlainSign(text.charCodeAt(0)) && isPlainSign(text.charCodeAt(text.length - 1))) return text;
	let start = 0;
	let end = text.length;
	while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
	while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
	return end - start === text.length ? text : text.slice(start, end);
}

function isPlainSign(code: number): boolean {
	return code > 0x20 && code < 0x7f;
}

/** Nothing but white space. */
export function isBlank(text: string): boolean {
	for (let at = 0; at < text.length; at++) if (!isWhiteSpace(text.charCodeAt(at))) return false;
	return true;
}

/** The blanks and tabs that `line` begins with. */
export function indentOf(line: string): string {
	let end = 0;
	while (line[end] === " " || line[end] === "\t") end++;
	return line.slice(0, end);
}
