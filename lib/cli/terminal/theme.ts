/** The looks of the chat on a terminal: a style is a function from text to the same text with escape sequences around it. */

import type { Environment } from "../../config/environment.ts";

/** Styles by what they mean. */
export interface Theme {
	readonly bold: Style;
	readonly dim: Style;
	readonly italic: Style;
	readonly underline: Style;
	readonly strike: Style;
	/** What the user said, and what the eye should find. */
	readonly accent: Style;
	readonly good: Style;
	readonly bad: Style;
	readonly warning: Style;
	readonly keyword: Style;
	readonly text: Style;
	readonly number: Style;
	readonly name: Style;
}

/** Adds a look to text that is safe for a terminal already. */
export type Style = (text: string) => string;

const codes = {
	bold: [1, 22],
	dim: [2, 22],
	italic: [3, 23],
	underline: [4, 24],
	strike: [9, 29],
	accent: [36, 39],
	good: [32, 39],
	bad: [31, 39],
	warning: [33, 39],
	keyword: [35, 39],
	text: [32, 39],
	number: [33, 39],
	name: [34, 39],
} as const satisfies Readonly<Record<keyof Theme, readonly [number, number]>>;

/** The colours of the user's terminal, or none where the user wants none. */
export function themeFor({ noColor }: Pick<Environment, "noColor">): Theme {
	const plain: Style = (text) => text;
	const style = (name: keyof Theme): Style => {
		const [on, off] = codes[name];
		return noColor ? plain : (text) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
	};
	return {
		bold: style("bold"),
		dim: style("dim"),
		italic: style("italic"),
		underline: style("underline"),
		strike: style("strike"),
		accent: style("accent"),
		good: style("good"),
		bad: style("bad"),
		warning: style("warning"),
		keyword: style("keyword"),
		text: style("text"),
		number: style("number"),
		name: style("name"),
	};
}
