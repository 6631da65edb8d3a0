/** Cutting the middle out of a long text. */

/** Share of a cut text that is kept from its start: the end of an output usually says more. */
const headShare = 0.4;

/**
 * `text` itself when it has at most `limit` characters; else its start and its end, with a line between them that says
 * how much is gone. The line comes on top of `limit`. `alreadyOmitted` is what was lost before.
 */
export function cutMiddle(text: string, limit: number, alreadyOmitted = 0): string {
	if (text.length <= limit && alreadyOmitted === 0) return text;
	const kept = Math.min(limit, text.length);
	const headEnd = wholeCharacter(text, Math.floor(kept * headShare));
	const tailStart = wholeCharacter(text, text.length - (kept - headEnd));
	const omitted = tailStart - headEnd + alreadyOmitted;
	const total = text.length + alreadyOmitted;
	return `${text.slice(0, headEnd)}\n\n[${omitted} of ${total} characters cut here]\n\n${text.slice(tailStart)}`;
}

/** The first `limit` characters at most, never half of a surrogate pair. */
export function cutEnd(text: string, limit: number): string {
	return text.length <= limit ? text : text.slice(0, wholeCharacter(text, limit));
}

/** `index`, or one less when it points between the halves of a surrogate pair. */
function wholeCharacter(text: string, index: number): number {
	const code = text.charCodeAt(index);
	const inPair = code >= 0xdc00 && code <= 0xdfff && index > 0;
	return inPair ? index - 1 : index;
}
