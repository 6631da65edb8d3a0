/** Reads what `export -p` of bash 3.2 to 5.3 prints, and of dash and busybox. */

import { ansiCEscapes } from "../../base/ansi-c-escapes.ts";

/** A value and where the text goes on. */
interface Read {
	readonly value: string;
	readonly end: number;
}

/**
 * Exported names and their values, one character per byte (latin1) on both sides. Names without a value and arrays, which no
 * child would see, are left out.
 */
export function parseExports(text: string): Map<string, string> {
	const variables = new Map<string, string>();
	// `declare -rx NAME="value"`, and `export NAME="value"` in posix mode.
	const start = /(?:declare -([A-Za-z]+)|export(?: -[A-Za-z]+)?) ([A-Za-z_]\w*)(=?)/y;
	for (let at = 0; at < text.length; ) {
		start.lastIndex = at;
		const found = start.exec(text);
		if (found === null) {
			at = nextLine(text, at);
			continue;
		}
		const [, attributes = "", name = "", assigned] = found;
		if (assigned === "") {
			at = nextLine(text, start.lastIndex);
			continue;
		}
		const { value, end } = readValue(text, start.lastIndex);
		if (!/[aA]/.test(attributes)) variables.set(name, value);
		at = nextLine(text, end);
	}
	return variables;
}

function nextLine(text: string, at: number): number {
	const newline = text.indexOf("\n", at);
	return newline === -1 ? text.length : newline + 1;
}

/** One quoted part after the other: dash writes `it's` as `'it'"'"'s'`. */
function readValue(text: string, at: number): Read {
	let value = "";
	let end = at;
	for (let part = readPart(text, end); part !== undefined; part = readPart(text, end)) {
		value += part.value;
		end = part.end;
	}
	return { value, end };
}

function readPart(text: string, at: number): Read | undefined {
	if (text[at] === '"') return readDoubleQuoted(text, at + 1);
	if (text[at] === "'") return readSingleQuoted(text, at + 1);
	if (text.startsWith("$'", at)) return readAnsiQuoted(text, at + 2);
	const plain = /[^\s'"]+/y;
	plain.lastIndex = at;
	const value = plain.exec(text)?.[0];
	return value === undefined ? undefined : { value, end: at + value.length };
}

function readSingleQuoted(text: string, at: number): Read {
	const quote = text.indexOf("'", at);
	const end = quote === -1 ? text.length : quote;
	return { value: text.slice(at, end), end: end + 1 };
}

function readDoubleQuoted(text: string, at: number): Read {
	let value = "";
	let end = at;
	// In slices: a value may be megabytes long.
	for (const stop = /["\\]/g; ; ) {
		stop.lastIndex = end;
		const next = stop.exec(text)?.index ?? text.length;
		value += text.slice(end, next);
		if (text[next] !== "\\") return { value, end: next + 1 };
		const escaped = text[next + 1] ?? "";
		value += '"\\$`'.includes(escaped) ? escaped : `\\${escaped}`;
		end = next + 2;
	}
}

function readAnsiQuoted(text: string, at: number): Read {
	let value = "";
	let end = at;
	for (const stop = /['\\]/g; ; ) {
		stop.lastIndex = end;
		const next = stop.exec(text)?.index ?? text.length;
		value += text.slice(end, next);
		if (text[next] !== "\\") return { value, end: next + 1 };
		const escaped = readEscape(text, next + 1);
		value += escaped.value;
		end = escaped.end;
	}
}

function readEscape(text: string, at: number): Read {
	const octal = /[0-7]{1,3}/y;
	octal.lastIndex = at;
	const digits = octal.exec(text)?.[0];
	if (digits !== undefined) return { value: byte(Number.parseInt(digits, 8)), end: at + digits.length };
	const hex = /x([0-9a-fA-F]{1,2})/y;
	hex.lastIndex = at;
	const pair = hex.exec(text)?.[1];
	if (pair !== undefined) return { value: byte(Number.parseInt(pair, 16)), end: at + 1 + pair.length };
	const letter = text[at] ?? "";
	return { value: ansiCEscapes[letter] ?? letter, end: at + 1 };
}

function byte(code: number): string {
	return String.fromCharCode(code & 0xff);
}
