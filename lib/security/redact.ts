/** Takes credentials out of text: known values, known shapes, and whatever stands beside a name that says it is secret. */

import { isPasswordName, isSecretName } from "../config/variable-names.ts";
import { maskPrivateKeys } from "./private-keys.ts";
import { tokenShapes } from "./secret-shapes.ts";
import { maskLogins } from "./typed-logins.ts";

/** What kind of text it is. */
export interface RedactOptions {
	/** Source code: `TOKEN=…` assignments and JSON fields are what it is about, and stay. Shapes and known values do not. */
	readonly code?: boolean;
	/** Leaves the user and the parameters of addresses alone, so that links in a tool's output still work. */
	readonly keepUrls?: boolean;
}

/** Gives `text` with its secrets masked. Takes time linear in its length. */
export type Redactor = (text: string, options?: RedactOptions) => string;

/** A shorter value than this would be found all over any text. */
const shortestValue = 6;

/**
 * A redactor that knows `values` besides what can be told from a text alone. They are masked wherever they stand, also
 * as a URL, JSON or base64 would write them.
 */
export function createRedactor(values: Iterable<string> = []): Redactor {
	const known = [...new Set([...values].filter((value) => value.length >= shortestValue).flatMap(spellings))];
	known.sort((left, right) => right.length - left.length);
	return (text, options = {}) => {
		let clean = maskKnown(maskPrivateKeys(text), known);
		clean = options.keepUrls === true ? maskDatabases(clean) : maskAddresses(clean);
		clean = maskLogins(maskShapes(maskHeaders(clean)), masked);
		if (options.code === true) return clean;
		return maskNumbers(maskNamed(clean, options.keepUrls === true ? addressesIn(clean) : []));
	};
}

function maskKnown(text: string, known: readonly string[]): string {
	let clean = text;
	for (const value of known) if (clean.includes(value)) clean = clean.replaceAll(value, () => maskSecret(value));
	return clean;
}

function maskShapes(text: string): string {
	let clean = text;
	for (const { hints, pattern } of tokenShapes) {
		if (hints.some((hint) => clean.includes(hint))) clean = clean.replace(pattern, masked);
	}
	return clean;
}

/** `redact` that hides `passwords` besides, as a whole, also ones that come in later. */
export function withPasswords(redact: Redactor, passwords: ReadonlySet<string>): Redactor {
	return (text, options) => {
		let clean = text;
		for (const password of passwords) {
			const known = password.length >= shortestValue ? spellings(password) : [];
			for (const spelling of known) clean = clean.replaceAll(spelling, "***");
		}
		return redact(clean, options);
	};
}

/** `***`, or the two ends of a secret long enough that they give nothing away. */
export function maskSecret(secret: string): string {
	return secret.length < 18 ? "***" : `${secret.slice(0, 6)}...${secret.slice(-4)}`;
}

function spellings(value: string): string[] {
	return [
		value,
		encodeURIComponent(value.toWellFormed()),
		JSON.stringify(value).slice(1, -1),
		Buffer.from(value).toString("base64"),
	];
}

/** Passwords in `scheme://user:password@host`, and parameters with secret names. */
function maskAddresses(text: string): string {
	if (!text.includes("://") && !text.includes("=")) return text;
	return text
		.replace(/(?<=:\/\/)([^\s/?#@:"'<>]{0,256}):([^\s/?#@"'<>]{1,1024})@/g, (_, user: string) => `${user}:***@`)
		.replace(/(?<=:\/\/)([A-Za-z0-9_.~%-]{20,512})@/g, (_, user: string) => `${maskSecret(user)}@`)
		.replace(/(?<=[?&;#])([\w.-]{1,64})=([^\s&;#"'<>]+)/g, (found, name: string, value: string) =>
			isSecretParameter(name) ? `${name}=${masked(value)}` : found,
		);
}

/** The password of a database is never part of a link that somebody follows. */
function maskDatabases(text: string): string {
	if (!text.includes("://")) return text;
	return text.replace(
		/(?<![A-Za-z0-9])((?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?)(?:\+[a-z0-9]{1,16})?:\/\/[^\s/?#@:"'<>]{0,256}):([^\s/?#"'<>]{1,1024})@/gi,
		(_, head: string) => `${head}:***@`,
	);
}

/** Where addresses stand in `text`, as starts and ends one after the other. */
function addressesIn(text: string): readonly Span[] {
	if (!text.includes("://")) return [];
	return [...text.matchAll(/(?<=[A-Za-z]):\/\/[^\s"'<>`]+/g)].map(({ index, 0: found }) => ({
		start: index,
		end: index + found.length,
	}));
}

interface Span {
	readonly start: number;
	readonly end: number;
}

/** In an address `key`, `sig` and `code` are credentials; elsewhere they are plain words. */
function isSecretParameter(name: string): boolean {
	return isSecretName(name) || /^(?:key|sig|signature|code|x-amz-signature|x-goog-signature|sas)$/i.test(name);
}

/** `Authorization: Bearer …`, `Basic …`, and the scheme alone before something that looks like a token. */
function maskHeaders(text: string): string {
	return text
		.replace(
			/(?<![A-Za-z0-9_])((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:[A-Za-z]{3,12}[ \t]{1,4})?)([^\s"',;]+)/gi,
			(_, head: string, value: string) => head + masked(value),
		)
		.replace(/(?<![A-Za-z0-9_])(Bearer|Basic)([ \t]{1,4})([A-Za-z0-9._~+/=-]{8,})/gi, (found, ...parts: string[]) => {
			const [scheme = "", space = "", value = ""] = parts;
			const isWord = !/[\d=]/.test(value) && !(/[A-Z]/.test(value) && /[a-z]/.test(value));
			return isWord ? found : scheme + space + masked(value);
		});
}

/** `NAME=value`, `name: value`, `"name": "value"`, `--name value`, `--name=value` where the name says that the value is secret. */
function maskNamed(text: string, spared: readonly Span[]): string {
	return maskAfter(maskAfter(text, assignment, spared), option, []);
}

/** A cursor is no credential, whatever it is called. */
const cursorName = /(?:page|next|continuation|cursor|sync|resume)[_-]?token$/i;

/** Telephone numbers as signalling and chat services write them. At the start of a line they are the added lines of a diff. */
function maskNumbers(text: string): string {
	if (!text.includes("+")) return text;
	if (/^\s*\+[1-9]\d{9,14}\s*$/.test(text)) return "***";
	return text.replace(/(?<=[^\n\w+.-])\+[1-9]\d{9,14}(?![\w.])/g, "***");
}

/**
 * Masks the value behind each secret name that `head` finds. What stands behind another name is looked at for names of its
 * own: a JSON text may be the value of a field.
 */
function maskAfter(text: string, head: RegExp, spared: readonly Span[]): string {
	let clean = "";
	let position = 0;
	let next = 0;
	for (const found of text.matchAll(head)) {
		const name = found[1] ?? "";
		while ((spared[next]?.end ?? text.length) < found.index) next++;
		if (found.index < position || found.index > (spared[next]?.start ?? text.length) || !isNamedSecret(name)) continue;
		value.lastIndex = found.index + found[0].length;
		const written = value.exec(text)?.[0];
		if (written === undefined) continue;
		clean += text.slice(position, found.index) + found[0] + maskedValue(name, written);
		position = found.index + found[0].length + written.length;
	}
	return position === 0 ? text : clean + text.slice(position);
}

function isNamedSecret(name: string): boolean {
	return isSecretName(name) && !/authorization$/i.test(name) && !cursorName.test(name);
}

const assignment = /(?<![A-Za-z0-9_-])([A-Za-z_][\w.-]{0,127})\\?["']?[ \t]{0,4}[:=](?![:=])[ \t]{0,4}/g;
const option = /(?<![A-Za-z0-9_-])--([A-Za-z][\w-]{0,63})(?:[ \t]{1,4}(?!-)|=)/g;
/** A value ends with its quote, or where a bare word ends. An escaped quote (JSON inside JSON) is a quote too. */
const value = /\\"(?:[^"\\]|\\[^"]){0,4096}(?:\\")?|"(?:[^"\\]|\\.){0,4096}"?|'[^'\r\n]{0,4096}'?|[^\s"',;&}\])]+/y;

function maskedValue(name: string, written: string): string {
	const [, open = "", inside = "", close = ""] = /^(\\?["']?)(.*?)(\\?["']?)$/s.exec(written) ?? [];
	return isHarmless(name, inside) ? written : open + masked(inside) + close;
}

/** Numbers, switches, references and what is masked already: masking them again would only hide what happened. */
function isHarmless(name: string, value: string): boolean {
	if (/^(?:|\*{3}|true|false|null|none|undefined|yes|no|on|off|\$\{?\w+\}?|\[?REDACTED\]?)$/i.test(value)) return true;
	return /^-?\d{1,15}(?:\.\d+)?$/.test(value) && !isPasswordName(name);
}

function masked(value: string): string {
	return /^(?:\*{3}|\S{6}\.\.\.\S{4})$/.test(value) ? value : maskSecret(value);
}
