/** The clipboard of the terminal that a person sits at, however far away it is. */

/** The escape sequence (OSC 52) that asks a terminal to put `text` on its clipboard; it shows nothing and moves nothing. */
export function clipboardSequence(text: string): string {
	return `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}
