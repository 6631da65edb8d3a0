/** Masks secrets in a text that comes in pieces, wherever the pieces are cut. */

import type { RedactOptions, Redactor } from "./redact.ts";

/** One running text. */
export interface StreamRedactor {
	/** Takes the next piece and gives what can be shown by now: whole lines, since nothing that is masked by line is cut then. */
	push(text: string): string;
	/** What of an unfinished line can be shown already, such as a question that waits for an answer. */
	flush(): string;
	/** The rest. */
	end(): string;
}

/** A line that is longer is let go in parts. */
const longestLine = 64 * 1024;
/** Characters of its end that stay: what is cut there may be half a secret. */
const keptBehind = 4_096;
/** A first line of a key whose last line does not come within this was none. */
const longestKey = 32 * 1024;
const keyHeader = /-----BEGIN ((?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?)-----/g;
/** Look like secrets in every place where the text before them says that one follows; the sign between may come later, too. */
const probes = ["Zx9q7Lw3Tb5Rk8Ym", "= Zx9q7Lw3Tb5Rk8Ym", ": Zx9q7Lw3Tb5Rk8Ym"];
/** The blanks in the first line of a key are no place to let go. */
const unfinishedHeader = /-----BEGIN [A-Z0-9 ]*$/;

/** Nothing is held yet. */
export function createStreamRedactor(redact: Redactor, options: RedactOptions = {}): StreamRedactor {
	let held = "";
	const release = (length: number) => {
		const text = held.slice(0, length);
		held = held.slice(length);
		return text === "" ? "" : redact(text, options);
	};
	return {
		push(text) {
			held += text;
			return release(wholeLines(held));
		},
		flush() {
			const blank = held.lastIndexOf(" ") + 1;
			const start = held.slice(0, blank);
			const isPlain = probes.every((probe) => redact(start + probe, options) === start + probe);
			return isPlain && !unfinishedHeader.test(start) && openKey(start) === undefined ? release(blank) : "";
		},
		end: () => release(held.length),
	};
}

/** How much of `text` can be let go. */
function wholeLines(text: string): number {
	const lines = text.lastIndexOf("\n") + 1;
	const end = text.length - lines > longestLine ? cutOfLine(text, lines) : lines;
	const key = openKey(text.slice(0, end));
	return key === undefined || text.length - key > longestKey ? end : key;
}

/** At a place where no token goes on. */
function cutOfLine(text: string, start: number): number {
	const most = text.length - keptBehind;
	const part = text.slice(start, most);
	const border = Math.max(...[" ", ",", ";", '"', "'", "\t"].map((char) => part.lastIndexOf(char)));
	return border < 0 ? most : start + border + 1;
}

/** Where a key begins whose last line has not come yet. */
function openKey(text: string): number | undefined {
	const last = [...text.matchAll(keyHeader)].at(-1);
	if (last === undefined) return undefined;
	return text.includes(`-----END ${last[1]}-----`, last.index) ? undefined : last.index;
}
