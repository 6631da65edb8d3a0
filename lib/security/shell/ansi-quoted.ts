/** The escapes of `$'…'`. */

import { ansiCEscapes } from "../../base/ansi-c-escapes.ts";

/** The text that bash makes of the inside of `$'…'`. */
export function decodeAnsiQuoted(inside: string): string {
	const escapes = /\\(?:x[0-9a-f]{1,2}|u[0-9a-f]{1,4}|U[0-9a-f]{1,8}|[0-7]{1,3}|[\s\S])/gi;
	return inside.replace(escapes, (sequence) => decodeEscape(sequence.slice(1)));
}

function decodeEscape(body: string): string {
	if (/^[xu]./i.test(body)) return codePoint(Number.parseInt(body.slice(1), 16));
	if (/^[0-7]/.test(body)) return codePoint(Number.parseInt(body, 8));
	return ansiCEscapes[body] ?? body;
}

function codePoint(value: number): string {
	return value <= 0x10ffff ? String.fromCodePoint(value) : "";
}
