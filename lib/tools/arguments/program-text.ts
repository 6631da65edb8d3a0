/** Arguments that end up as words of a program or as the bytes of a file. */

import { z } from "zod";

/** A text that a program can be given as it is: not empty, without NUL, and with bytes for every character of it. `what` is `a path`. */
export function programText(what: string) {
	return wholeText(what)
		.min(1)
		.refine((text) => !text.includes("\0"), `${what} cannot hold a NUL character`);
}

/** A text that has bytes for every character of it; a lone surrogate has none, and would silently become another character. */
export function wholeText(what: string) {
	return z.string().refine((text) => text.isWellFormed(), `${what} cannot hold half of a character (a lone surrogate)`);
}
