/** The looks of the chat on a terminal: a style is a function from text to the same text with escape sequences around it. */

import type { Environment } from "../../config/environment.ts";
import { type ColourKey, colourCodes, type Skin } from "../skins/skin.ts";

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
	/** Before what the user said, and before the lines of what a tool says. */
	readonly symbols: { readonly prompt: string; readonly bar: string };
}

/** A theme whose looks can change: what is drawn from then on has the new ones. */
export interface SkinnedTheme extends Theme {
	wear(skin: Pick<Skin, "colours" | "promptSymbol" | "toolPrefix">, options: { readonly has24Bits: boolean }): void;
}

/** Adds a look to text that is safe for a terminal already. */
export type Style = (text: string) => string;

const usual = {
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
} as const satisfies Readonly<Record<StyleName, readonly [number, number]>>;

type StyleName = Exclude<keyof Theme, "symbols">;

/** Which colour of a skin a style has. */
const colourOf: Readonly<Partial<Record<StyleName, ColourKey>>> = {
	dim: "banner_dim",
	accent: "ui_accent",
	good: "ui_ok",
	bad: "ui_error",
	warning: "ui_warn",
	keyword: "code_keyword",
	text: "code_text",
	number: "code_number",
	name: "code_name",
};

const usualSymbols: Theme["symbols"] = { prompt: "›", bar: "│" };

/** The colours of the user's terminal, or none where the user wants none. */
export function themeFor({ noColor }: Pick<Environment, "noColor">): SkinnedTheme {
	let worn: Parameters<SkinnedTheme["wear"]> = [{ colours: {} }, { has24Bits: false }];
	let symbols = usualSymbols;
	const codes = new Map<StyleName, readonly [string | number, string | number] | undefined>();
	const codesOf = (name: StyleName) => {
		const [{ colours }, { has24Bits }] = worn;
		const key = colourOf[name];
		const colour = key && colours[key];
		return colour === undefined ? usual[name] : colourCodes(colour, has24Bits);
	};
	const style =
		(name: StyleName): Style =>
		(text) => {
			if (noColor || text === "") return text;
			if (!codes.has(name)) codes.set(name, codesOf(name));
			const [on, off] = codes.get(name) ?? [];
			return on === undefined ? text : `\u001b[${on}m${text}\u001b[${off}m`;
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
		get symbols() {
			return symbols;
		},
		wear(...skin) {
			worn = skin;
			codes.clear();
			const [{ promptSymbol, toolPrefix }] = skin;
			symbols = { prompt: promptSymbol ?? usualSymbols.prompt, bar: toolPrefix ?? usualSymbols.bar };
		},
	};
}
