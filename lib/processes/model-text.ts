/** The one way from what a process wrote to what a model may see. */

import type { Redactor } from "../security/redact.ts";
import { redactOutput } from "../security/redact-output.ts";
import type { LineRange } from "./rolling-lines.ts";

/** Makes text for the model: without colours and secrets, before anything is cut. */
export interface ModelText {
	/** Lines of an output, with line ends between them. */
	of(range: LineRange): string;
	/** A text that is whole. */
	text(text: string): string;
}

/** `redact` left out: the user wants nothing masked. */
export function createModelText(redact: Redactor | undefined): ModelText {
	const clean = (text: string) => redactOutput({ text }, redact);
	return {
		of({ lines, before }) {
			const text = joined(lines);
			if (before.length === 0) return clean(text);
			// A page that begins within a key has nothing that tells: it is looked at together with what is before it.
			const context = `${joined(before)}\n`;
			const masked = clean(context + text);
			return masked.startsWith(context) ? masked.slice(context.length) : masked;
		},
		text: (text) => clean(joined(text.split("\n"))),
	};
}

function joined(lines: readonly string[]): string {
	return lines.map((line) => line.replace(/\r+$/, "")).join("\n");
}

/** The last `limit` characters of `text`, never half of a pair. */
export function tailOf(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const tail = text.slice(-limit);
	const code = tail.charCodeAt(0);
	return code >= 0xdc00 && code <= 0xdfff ? tail.slice(1) : tail;
}
