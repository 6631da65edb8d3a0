/** The one way that what a program printed goes to a model: without colours and secrets, before anything is cut. */

import { maskPrivateKeys } from "./private-keys.ts";
import type { Redactor } from "./redact.ts";

/** Text as a program printed it. */
export interface PrintedText {
	readonly text: string;
	/** The middle was dropped before anybody saw it; `text` says so in a line `[N bytes omitted]`. */
	readonly omittedBytes?: number | undefined;
}

/** Characters beside a gap that may be half of a secret. */
const edgeLength = 512;

/** What a model gets of `printed`; without a redactor everything but what a terminal would not show. */
export function redactOutput({ text, omittedBytes }: PrintedText, redact: Redactor = (plain) => plain): string {
	const plain = Bun.stripANSI(text).replaceAll("\0", "\ufffd");
	const gap = omittedBytes === undefined ? "" : `\n\n[${omittedBytes} bytes omitted]\n\n`;
	const at = gap === "" ? -1 : plain.indexOf(gap);
	const mask = (part: string) => redact(part, { keepUrls: true });
	if (at < 0) return mask(plain);
	const [head, tail] = [plain.slice(0, at), plain.slice(at + gap.length)];
	return mask(withoutHalf(head, "end")) + gap + mask(withoutHalf(tail, "start"));
}

/** `part` without the word that the gap has cut; its other half may have been the part that tells what it was. */
function withoutHalf(part: string, edge: "start" | "end"): string {
	const clean = maskPrivateKeys(part);
	if (edge === "end") return clean.slice(0, clean.length - (/\S*$/.exec(clean.slice(-edgeLength))?.[0].length ?? 0));
	return clean.slice(/^\S*/.exec(clean.slice(0, edgeLength))?.[0].length ?? 0);
}
