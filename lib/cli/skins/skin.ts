/** The contract of a skin: data about the looks of a chat, and nothing that could run. */

/** Names of colours that every terminal has, in the order of their codes. */
const colourNames = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** The colours that are used; a skin may have others, which other programs know. */
export const colourKeys = [
	"ui_accent",
	"ui_ok",
	"ui_error",
	"ui_warn",
	"banner_dim",
	"code_keyword",
	"code_text",
	"code_number",
	"code_name",
] as const;

/** One of them. */
export type ColourKey = (typeof colourKeys)[number];

/** A skin that can be worn. What is left out is as in the default one. */
export interface Skin {
	readonly name: string;
	readonly description: string;
	readonly colours: Readonly<Partial<Record<ColourKey, string>>>;
	/** Before what the user said. */
	readonly promptSymbol?: string;
	/** Before the lines of what a tool says. */
	readonly toolPrefix?: string;
}

/**
 * The codes of a foreground colour, as they stand between `ESC[` and `m`; undefined for none. Without 24 bits the nearest of
 * 256 colours is taken.
 */
export function colourCodes(colour: string, has24Bits: boolean): readonly [on: string, off: string] | undefined {
	if (colour === "none") return undefined;
	if (colour === "default") return ["39", "39"];
	const bright = colour.startsWith("bright_");
	const at = colourNames.indexOf(colour.replace("bright_", ""));
	if (at >= 0) return [String((bright ? 90 : 30) + at), "39"];
	const sequence = Bun.color(colour, has24Bits ? "ansi-16m" : "ansi-256") ?? "";
	const codes = sequence.slice(2, -1);
	return codes === "" ? undefined : [codes, "39"];
}

/** Whether it is a colour that a skin may name. */
export function isColour(text: string): boolean {
	if (text === "default" || text === "none" || /^#[0-9a-f]{6}$/i.test(text)) return true;
	return colourNames.includes(text.replace(/^bright_/, ""));
}

/** Whether it is a sign or a few, at most three columns wide: more would push the text beside it away. */
export function isNarrow(text: string): boolean {
	const width = Bun.stringWidth(text);
	return width >= 1 && width <= 3 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}
