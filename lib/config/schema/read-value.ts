/** Turns what a file, a variable or a user wrote into the value of a key, or says what was expected instead. */

import type { Key, Kind } from "./key.ts";

/** A value of the right type, or why it is not one. */
export type Reading =
	| { readonly ok: true; readonly value: unknown }
	| { readonly ok: false; readonly expected: string };

/** The words YAML 1.1 reads as booleans; a choice may contain some of them. */
const wordsOf = { true: ["true", "on", "yes"], false: ["false", "off", "no", "none"] } as const;

/** Reads a value that YAML has typed already. A quoted `"5"` is good enough for a number. */
export function readValue(key: Key, raw: unknown): Reading {
	if (raw === null) return key.nullable || key.kind.type === "any" ? good(null) : bad(key);
	if (typeof raw === "string" && key.kind.type !== "text" && key.kind.type !== "any") {
		return parseText(key, raw);
	}
	return accepted(key, fromYaml(key.kind, raw));
}

/** Reads a value out of bare text: of an environment variable or a command line. */
export function parseText(key: Key, written: string): Reading {
	if (key.kind.type === "text") return good(written);
	const trimmed = written.trim();
	if (key.nullable && trimmed === "null") return good(null);
	return accepted(key, fromText(key.kind, trimmed));
}

/** Reads text for a key that no table knows: true, false, null, numbers and JSON are what they look like. */
export function guessText(written: string): unknown {
	const trimmed = written.trim();
	if (/^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|[[{"].*)$/s.test(trimmed)) {
		return parsedJson(trimmed) ?? (trimmed === "null" ? null : written);
	}
	return written;
}

/** What a value of the key looks like, for a message. */
function expectedOf(key: Key): string {
	const expected = expectedKind(key.kind);
	return key.nullable ? `${expected} or null` : expected;
}

function expectedKind(kind: Kind): string {
	switch (kind.type) {
		case "text":
			return "a text (put it in quotes)";
		case "boolean":
			return "true or false";
		case "integer":
			return `a whole number${boundsOf(kind)}`;
		case "number":
			return `a number${boundsOf(kind)}`;
		case "choice":
			return `one of ${kind.options.map((option) => option || '""').join(", ")}`;
		case "texts":
			return "a list of texts";
		case "list":
			return "a list";
		case "map":
			return "a map";
		case "any":
			return "a value";
	}
}

function boundsOf({ min, max }: { readonly min?: number; readonly max?: number }): string {
	if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
	if (min !== undefined) return ` of at least ${min}`;
	return max === undefined ? "" : ` of at most ${max}`;
}

/** `undefined` when `raw` is not of the kind. */
function fromYaml(kind: Kind, raw: unknown): unknown {
	switch (kind.type) {
		case "text":
			return typeof raw === "number" ? String(raw) : onlyIf(typeof raw === "string", raw);
		case "boolean":
			return onlyIf(typeof raw === "boolean", raw);
		case "integer":
		case "number":
			return onlyIf(typeof raw === "number", raw);
		case "choice":
			return typeof raw === "boolean"
				? wordsOf[`${raw}`].find((word) => kind.options.includes(word))
				: onlyIf(typeof raw === "string" || typeof raw === "number", String(raw));
		case "texts":
			return Array.isArray(raw) ? textsOf(raw) : undefined;
		case "list":
			return onlyIf(Array.isArray(raw), raw);
		case "map":
			return onlyIf(isMap(raw), raw);
		case "any":
			return raw;
	}
}

function fromText(kind: Kind, written: string): unknown {
	switch (kind.type) {
		case "boolean":
			if (/^(true|yes|on|1)$/i.test(written)) return true;
			return /^(false|no|off|0)$/i.test(written) ? false : undefined;
		case "integer":
		case "number":
			return onlyIf(/^[+-]?(\d[\d_]*\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written), Number(written.replaceAll("_", "")));
		case "choice":
			return fromYaml(kind, written);
		case "texts":
		case "list":
			if (written.startsWith("[")) return fromYaml(kind, parsedJson(written));
			return written === "" ? [] : written.split(",").map((part) => part.trim());
		case "map":
			return fromYaml(kind, parsedJson(written));
		default:
			return guessText(written);
	}
}

/** Checks what the types alone do not say. */
function accepted(key: Key, value: unknown): Reading {
	const { kind } = key;
	if (value === undefined && kind.type !== "any") return bad(key);
	if (kind.type === "choice" && !kind.options.includes(String(value))) return bad(key);
	if ((kind.type === "integer" || kind.type === "number") && typeof value === "number") {
		const inside = value >= (kind.min ?? -Infinity) && value <= (kind.max ?? Infinity);
		if (!inside || (kind.type === "integer" && !Number.isSafeInteger(value))) return bad(key);
	}
	return good(value);
}

function textsOf(raw: readonly unknown[]): readonly string[] | undefined {
	const simple = raw.every((item) => typeof item === "string" || typeof item === "number");
	return simple ? raw.map(String) : undefined;
}

function onlyIf<T>(condition: boolean, value: T): T | undefined {
	return condition ? value : undefined;
}

function isMap(raw: unknown): raw is Readonly<Record<string, unknown>> {
	return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

function parsedJson(written: string): unknown {
	try {
		return JSON.parse(written);
	} catch {
		return undefined;
	}
}

function good(value: unknown): Reading {
	return { ok: true, value };
}

function bad(key: Key): Reading {
	return { ok: false, expected: expectedOf(key) };
}
