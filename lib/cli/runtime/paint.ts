/** Colours for a terminal, and text that cannot move its cursor. */

import type { Environment } from "../../config/environment.ts";
import type { Output } from "../output.ts";

/** Colours one piece of text; the same text where colours are off. */
export type Paint = (style: "dim" | "bold" | "good" | "bad", text: string) => string;

const codes = { dim: 2, bold: 1, good: 32, bad: 31 } as const;

/** Colours only on a terminal, and never when NO_COLOR is set. */
export function paintFor(output: Output, environment: Environment): Paint {
	if (!output.isTerminal || environment.noColor || environment.variables.TERM === "dumb") return (_, text) => text;
	return (style, text) => `\u001b[${codes[style]}m${text}\u001b[0m`;
}

/** What a program printed, without escape sequences: output must not redraw what the user has read. */
export function printable(text: string): string {
	return visible(Bun.stripANSI(text).replaceAll("\r\n", "\n"));
}

/** All of `text`, with characters that could move the cursor or hide something written as escapes. */
export function visible(text: string): string {
	return text.replaceAll(controls, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
