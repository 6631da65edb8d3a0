/** A result as a text file that can be read page by page: its long texts as lines, not as one line of JSON. */

/** `read_file` cuts longer lines, so they are broken here. */
const longestLine = 1_900;
/** Shorter texts stay on one line with their key. */
const shortText = 200;

/** `answer` as lines; one that is no JSON object is kept as it is. */
export function pageText(answer: string): string {
	const value = parseObject(answer);
	const text =
		value === undefined
			? answer
			: Object.entries(value)
					.map(([key, part]) => section(key, part))
					.join("");
	return text.split("\n").flatMap(brokenLine).join("\n");
}

function section(key: string, part: unknown): string {
	if (typeof part === "string" && (part.length > shortText || part.includes("\n"))) return `== ${key}\n${part}\n`;
	const json = JSON.stringify(part, null, Array.isArray(part) || isObject(part) ? 1 : 0);
	return `== ${key}: ${json}\n`;
}

function brokenLine(line: string): string[] {
	if (line.length <= longestLine) return [line];
	const pieces: string[] = [];
	for (let start = 0; start < line.length; ) {
		const code = line.charCodeAt(start + longestLine - 1);
		// Never between the halves of a surrogate pair.
		const end = start + longestLine - (code >= 0xd800 && code <= 0xdbff ? 1 : 0);
		pieces.push(line.slice(start, end));
		start = end;
	}
	return pieces.map((piece, index) => (index < pieces.length - 1 ? `${piece}⏎` : piece));
}

function parseObject(answer: string): Readonly<Record<string, unknown>> | undefined {
	const value: unknown = JSON.parse(answer);
	return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
