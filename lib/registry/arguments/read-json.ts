/** JSON as a model writes it, without losing digits. */

import { attempt } from "../../base/attempt.ts";

/** The value of a text, or why it has none. */
export type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

const wholeNumber = /^-?\d+$/;

/**
 * Parses `text`. A whole number that a JavaScript number cannot hold becomes the text of its digits: the id of a chat
 * message would otherwise arrive as that of another one.
 */
export function readJson(text: string): ReadJson {
	// The reviver makes parsing slower, and long numbers are rare.
	return attempt((): unknown => (/\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)));
}

/** `context` is what the engine passes as the third argument; its type is not in TypeScript's library yet. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
	if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
	const source = context?.source ?? "";
	return wholeNumber.test(source) ? source : value;
}

/** A whole number that only its digits can say. */
export function isLargeInteger(value: unknown): value is string {
	return typeof value === "string" && wholeNumber.test(value) && !Number.isSafeInteger(Number(value));
}
