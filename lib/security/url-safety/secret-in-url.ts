/** Finds credentials in an address: a model that was talked into it could carry one out in a link. */

import { tokenShapes } from "../secret-shapes.ts";

/** Shorter values are found by chance. */
const shortestSecret = 8;
const mostDecodings = 5;
/** Words of a path may look like a token's prefix; a token has a long run of letters and digits, with both in it. */
const tokenRun = /(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}/;

/**
 * Whether `text` carries one of `secrets` or something in the shape of a token, as it stands or behind layers of percent
 * encoding, in base64 or hexadecimal, and in the labels of a host, which know no capitals.
 */
export function carriesSecret(text: string, secrets: Iterable<string>): boolean {
	const forms = decodings(text);
	if (forms.some((form) => tokenShapes.some(({ pattern }) => (form.match(pattern) ?? []).some(isToken)))) return true;
	const spellings = [...secrets].filter((secret) => secret.length >= shortestSecret).flatMap(spellingsOf);
	// Dots in between split a value over the labels of a host.
	const lowered = forms.flatMap((form) => [form.toLowerCase(), form.toLowerCase().replaceAll(".", "")]);
	return spellings.some((spelling) => lowered.some((form) => form.includes(spelling)));
}

function isToken(found: string): boolean {
	return tokenRun.test(found);
}

function decodings(text: string): string[] {
	const forms = [text];
	for (let form = text; forms.length <= mostDecodings; ) {
		const next = form.replace(/(?:%[0-9a-f]{2})+/gi, decodeBytes);
		if (next === form) break;
		forms.push(next);
		form = next;
	}
	return forms;
}

function decodeBytes(encoded: string): string {
	return Buffer.from(encoded.replaceAll("%", ""), "hex").toString("utf8");
}

function spellingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const base64 = bytes.toString("base64url");
	const all = [secret, secret.replaceAll(".", ""), bytes.toString("hex"), base64, bytes.toString("base64")];
	return all
		.map((spelling) => spelling.toLowerCase().replace(/=+$/, ""))
		.filter(({ length }) => length >= shortestSecret);
}
