/** The one way from what a process wrote to what a model may see. */

import type { Redactor } from "../security/redact.ts";
import { isKeyOpenAfter, type LineRange } from "./rolling-lines.ts";

const removedKey = "[private key removed]";

/** Makes text for the model. */
export interface ModelText {
	/** Colours and secrets taken out; before anything is cut, or half a secret would be left. */
	lines(range: LineRange): string[];
	/** The same for a text that is whole. */
	text(text: string): string;
}

/** `redact` left out: the user wants nothing masked. */
export function createModelText(redact: Redactor | undefined): ModelText {
	const clean = (text: string) => {
		const plain = Bun.stripANSI(text).replaceAll("\0", "\ufffd").replace(/\r+$/, "");
		return redact === undefined ? plain : redact(plain, { keepUrls: true });
	};
	return {
		lines: ({ lines, startsInKey }) => {
			if (redact === undefined) return lines.map(clean);
			let isInKey = startsInKey;
			return lines.map((line) => {
				const wasInKey = isInKey;
				isInKey = isKeyOpenAfter(line, wasInKey);
				if (wasInKey)
					return isInKey ? "" : clean(line.replace(/^.*?-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----/, removedKey));
				return clean(line);
			});
		},
		text: (text) => clean(text.replaceAll("\r\n", "\n")),
	};
}

/** The last `limit` characters of `text`, never half of a pair. */
export function tailOf(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const tail = text.slice(-limit);
	const code = tail.charCodeAt(0);
	return code >= 0xdc00 && code <= 0xdfff ? tail.slice(1) : tail;
}
