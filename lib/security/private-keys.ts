/** Takes private keys out of text: whole ones, and what a cut or a page has left of one. */

const keyBegin = "-----BEGIN ";
const keyHeader = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const keyFooter = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const removed = "[private key removed]";

/** A key of 16,384 bits has 13,000 characters; what ends later is another one. */
const longestKey = 32 * 1024;
/** What is between two literals in a program holds none of these; every key does. */
const material = /(?=[A-Za-z+/]{0,15}\d)[A-Za-z0-9+/]{16}/;
/** A line of a key as files, quotations, numbered pages and escaped texts show it; other lines are left alone. */
const keyLine = lineOf("(?:[A-Za-z0-9+/=]{16,16384}|Proc-Type: [^\\n]{1,80}|DEK-Info: [^\\n]{1,80}|)");
/** The last line of a key, or what a cut has left of one, may be short. */
const lastLine = lineOf("[A-Za-z0-9+/=]{1,16384}");
const bareLine = /[A-Za-z0-9+/=]{16}/;
/** Its line ends are escaped, or became spaces. */
const keyOnOneLine = /^(?:[ \t]{0,4}(?:\\+[nr]|[A-Za-z0-9+/=]){16,})+(?: [A-Za-z0-9+/=]{1,64}(?![^ ]))?/;

/** `text` with a note in the place of each key. Half of one is secret all the same. Takes linear time. */
export function maskPrivateKeys(text: string): string {
	return text.includes("PRIVATE KEY") ? maskEnds(maskBegun(text)) : text;
}

/** From each first line to the last line that belongs to it, or as far as what follows can be of a key. */
function maskBegun(text: string): string {
	let clean = "";
	let position = 0;
	for (let begin = text.indexOf(keyBegin); begin >= 0; begin = text.indexOf(keyBegin, begin + keyBegin.length)) {
		if (begin < position) continue;
		keyHeader.lastIndex = begin;
		const header = keyHeader.exec(text)?.[0];
		if (header === undefined) continue;
		const end = endOfKey(text, begin + header.length, header.replace("BEGIN", "END"));
		if (end === undefined) continue;
		clean += text.slice(position, begin) + removed;
		position = end;
	}
	return position === 0 ? text : clean + text.slice(position);
}

/** Undefined where the line is only spoken of. */
function endOfKey(text: string, start: number, footer: string): number | undefined {
	const window = text.slice(start, start + longestKey);
	const foot = window.indexOf(footer);
	if (foot >= 0) return material.test(window.slice(0, foot)) ? start + foot + footer.length : undefined;
	const run = runOfKey(window);
	return run === 0 ? undefined : start + run;
}

/** How many characters from the start of `text` can be of a key: the rest of its line, then whole lines. */
function runOfKey(text: string): number {
	const oneLine = keyOnOneLine.exec(text)?.[0].length ?? 0;
	if (oneLine > 0) return oneLine;
	let length = 0;
	const lines = text.split("\n");
	for (const [at, line] of lines.entries()) {
		if (!(at === lines.length - 1 ? lastLine : keyLine).test(line)) break;
		length += line.length + 1;
	}
	return bareLine.test(text.slice(0, length)) ? Math.min(length, text.length) : 0;
}

/** A last line without a first one: a page or a cut began in the middle of the key. */
function maskEnds(text: string): string {
	let clean = "";
	let position = 0;
	let before = 0;
	for (const { index, 0: footer } of text.matchAll(keyFooter)) {
		// No key holds the last line of another.
		const lines = text.slice(Math.max(before, index - longestKey), index).split("\n");
		before = index + footer.length;
		// What stands before the footer on its own line is the number of the line, or the end of an escaped key.
		const own = lines.pop() ?? "";
		const glued = /(?:\\+[nr]|[A-Za-z0-9+/=]){16,}$/.exec(own)?.[0].length ?? 0;
		let length = glued;
		let wanted = lastLine;
		for (let line = lines.pop(); glued === 0 && line !== undefined && wanted.test(line); line = lines.pop()) {
			length += line.length + 1 + (length === 0 ? own.length : 0);
			wanted = keyLine;
		}
		if (!bareLine.test(text.slice(index - length, index))) continue;
		clean += text.slice(position, index - length) + removed;
		position = index + footer.length;
	}
	return position === 0 ? text : clean + text.slice(position);
}

function lineOf(inside: string): RegExp {
	return new RegExp(`^[ \\t]{0,16}(?:\\d{1,7}[|:\\t-])?[ \\t>+"'-]{0,16}${inside}(?:\\\\[nr])*["',+ ]{0,4}\\r?$`);
}
