/** Whether two lines that differ are the same line with a slip in it, or two lines that look alike. */

/** Below this likeness two lines have nothing to do with each other. */
export const alikeFrom = 0.8;
/** Words shorter than this differ as much by one letter as `min` from `max`. */
const shortWord = 5;
const lookAlikes: Readonly<Record<string, string>> = { "0": "o", "1": "l", "5": "s" };

/**
 * The same words and signs in the same order, each word but for one typing mistake. `retries_min` is not `retries_max`,
 * and a line with another number or operator in it is another line, however alike they are.
 */
export function isSameLine(left: string, right: string): boolean {
	const [leftParts, rightParts] = [partsOf(left), partsOf(right)];
	return (
		leftParts.length === rightParts.length && leftParts.every((part, at) => isSamePart(part, rightParts[at] ?? ""))
	);
}

/** Words and signs; one kind of quote is as good as the other, and a line may lack its last comma or semicolon. */
function partsOf(line: string): string[] {
	const parts = line.replaceAll("'", '"').match(/[\p{L}\p{M}\p{N}]+|\S/gu) ?? [];
	const isTail = parts.at(-1) === "," || parts.at(-1) === ";";
	return isTail ? parts.slice(0, -1) : parts;
}

function isSamePart(left: string, right: string): boolean {
	if (left === right) return true;
	if (/^\d+$/.test(left) || /^\d+$/.test(right)) return false;
	if (foldLookAlikes(left) === foldLookAlikes(right)) return true;
	return left.length >= shortWord && right.length >= shortWord && isOneSlip(left, right);
}

function foldLookAlikes(word: string): string {
	return word.toLowerCase().replace(/[015]/g, (digit) => lookAlikes[digit] ?? digit);
}

/** One letter changed, left out, put in, or swapped with its neighbour; a changed digit is another name. */
function isOneSlip(left: string, right: string): boolean {
	let start = 0;
	while (start < left.length && left[start] === right[start]) start++;
	let end = 0;
	const most = Math.min(left.length, right.length) - start;
	while (end < most && left.at(-1 - end) === right.at(-1 - end)) end++;
	const [cut, put] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
	if (/\d/.test(cut + put)) return false;
	const isSwap = cut.length === 2 && cut === [...put].reverse().join("");
	return isSwap || (cut.length <= 1 && put.length <= 1);
}
