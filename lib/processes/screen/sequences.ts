/** What the escape sequences of a terminal do to its screen. */

import type { Cells } from "./cells.ts";

/** The parts of one sequence, as they were written. */
export interface SequenceParts {
	readonly parameters?: string | undefined;
	readonly between?: string | undefined;
	readonly final?: string | undefined;
	readonly charset?: string | undefined;
	readonly single?: string | undefined;
}

/** Carries it out; gives what the terminal answers. */
export function act(cells: Cells, { parameters = "", between = "", final, charset, single }: SequenceParts): string {
	if (charset?.startsWith("(")) cells.useLines(charset === "(0");
	if (single !== undefined) escapes[single]?.(cells);
	if (final === undefined) return "";
	if (parameters.startsWith("?")) return actPrivate(cells, parameters.slice(1), final);
	// What asks for the kind of terminal, and what sets modes of keyboards.
	if (/^[<=>]/.test(parameters)) return final === "c" && parameters.startsWith(">") ? "\x1b[>0;10;1c" : "";
	if (between !== "") return "";
	const numbers = parameters.split(/[;:]/).map((number) => Number(number || 0));
	const [first = 0, second = 0] = numbers;
	const answer = actions[final]?.(cells, first, second);
	return typeof answer === "string" ? answer : "";
}

type Action = (cells: Cells, first: number, second: number) => unknown;

const escapes: Readonly<Record<string, (cells: Cells) => void>> = {
	"7": (cells) => cells.saveCursor(),
	"8": (cells) => cells.restoreCursor(),
	D: (cells) => cells.lineFeed(),
	E: (cells) => {
		cells.moveTo(cells.row, 0);
		cells.lineFeed();
	},
	M: (cells) => cells.reverseLineFeed(),
	c: (cells) => cells.reset(),
};

const count = (number: number) => Math.max(1, number);
const up: Action = (cells, first) => cells.moveTo(cells.row - count(first), cells.column);
const down: Action = (cells, first) => cells.moveTo(cells.row + count(first), cells.column);
const right: Action = (cells, first) => cells.moveTo(cells.row, cells.column + count(first));
const place: Action = (cells, first, second) => cells.moveTo(count(first) - 1, count(second) - 1);
const toColumn: Action = (cells, first) => cells.moveTo(cells.row, count(first) - 1);
const toRow: Action = (cells, first) => cells.moveTo(count(first) - 1, cells.column);

const actions: Readonly<Record<string, Action>> = {
	A: up,
	B: down,
	C: right,
	D: (cells, first) => cells.moveTo(cells.row, cells.column - count(first)),
	E: (cells, first) => cells.moveTo(cells.row + count(first), 0),
	F: (cells, first) => cells.moveTo(cells.row - count(first), 0),
	G: toColumn,
	"`": toColumn,
	H: place,
	f: place,
	J: eraseScreen,
	K: (cells, first) => {
		if (first === 0) cells.erase(cells.row, cells.column, cells.columns);
		else if (first === 1) cells.erase(cells.row, 0, cells.column + 1);
		else cells.erase(cells.row, 0, cells.columns);
	},
	L: (cells, first) => cells.insertRows(count(first)),
	M: (cells, first) => cells.insertRows(-count(first)),
	P: (cells, first) => cells.insertCells(-count(first)),
	"@": (cells, first) => cells.insertCells(count(first)),
	S: (cells, first) => cells.scroll(count(first)),
	T: (cells, first) => cells.scroll(-count(first)),
	X: (cells, first) => cells.erase(cells.row, cells.column, cells.column + count(first)),
	a: right,
	b: (cells, first) => cells.repeat(count(first)),
	c: () => "\x1b[?1;2c",
	d: toRow,
	e: down,
	h: (cells, first) => setMode(cells, first, true),
	l: (cells, first) => setMode(cells, first, false),
	n: (cells, first) => {
		if (first === 5) return "\x1b[0n";
		return first === 6 ? `\x1b[${cells.row + 1};${Math.min(cells.column, cells.columns - 1) + 1}R` : "";
	},
	r: (cells, first, second) => {
		cells.setRegion(count(first) - 1, (second || cells.height) - 1);
		cells.moveTo(0, 0);
	},
	s: (cells) => cells.saveCursor(),
	u: (cells) => cells.restoreCursor(),
};

function setMode(cells: Cells, mode: number, isOn: boolean): void {
	if (mode === 4) cells.inserts = isOn;
}

function eraseScreen(cells: Cells, how: number): void {
	if (how === 0) cells.erase(cells.row, cells.column, cells.columns);
	if (how === 1) cells.erase(cells.row, 0, cells.column + 1);
	for (let row = 0; row < cells.height; row++) {
		const isMeant = how >= 2 || (how === 0 && row > cells.row) || (how === 1 && row < cells.row);
		if (isMeant) cells.erase(row, 0, cells.columns);
	}
}

/** Modes of DEC terminals. */
function actPrivate(cells: Cells, parameters: string, final: string): string {
	if (final !== "h" && final !== "l") return "";
	for (const mode of parameters.split(";").map(Number)) setPrivateMode(cells, mode, final === "h");
	return "";
}

function setPrivateMode(cells: Cells, mode: number, isOn: boolean): void {
	if (mode === 1) cells.usesApplicationKeys = isOn;
	else if (mode === 7) cells.wraps = isOn;
	else if (mode === 47 || mode === 1047 || mode === 1049) cells.useOther(isOn);
	else if (mode === 1048 && isOn) cells.saveCursor();
	else if (mode === 1048) cells.restoreCursor();
}
