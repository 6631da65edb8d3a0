/** Settings as lines for a person. */

import { type ShownSetting, valueText } from "./shown-settings.ts";

/** One line a key; with `withOrigin` a last column says where the value comes from. */
export function table(rows: readonly ShownSetting[], withOrigin: boolean): string {
	const cells = rows.map(({ key, value, origin }) => [key, oneLine(valueText(value)), origin] as const);
	const keyWidth = widest(cells.map(([key]) => key));
	const valueWidth = Math.min(widest(cells.map(([, value]) => value)), 60);
	return cells
		.map(([key, value, origin]) => {
			const line = `${key.padEnd(keyWidth)}  ${withOrigin ? `${value.padEnd(valueWidth)}  ${origin}` : value}`;
			return `${line.trimEnd()}\n`;
		})
		.join("");
}

function widest(texts: readonly string[]): number {
	return Math.max(0, ...texts.map((text) => text.length));
}

/** A value must neither break the table nor command the terminal. */
function oneLine(text: string): string {
	return text === "" ? '""' : text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}
