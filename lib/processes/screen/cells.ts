/** The cells of a terminal's screen, and where its cursor is. Rows and columns count from 0. */

import type { TerminalSize } from "../process-record.ts";

/** The letters that draw lines in the graphics set of a VT100. */
const lineLetters = "`afgjklmnopqrstuvwxyz{|}~";
const lineShapes = "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

interface Cursor {
	readonly row: number;
	readonly column: number;
}

/** One screen, and the other one that full-screen programs use. */
export class Cells {
	columns: number;
	height: number;
	row = 0;
	column = 0;
	usesApplicationKeys = false;
	/** At the right edge the cursor goes on to the next row. */
	wraps = true;
	/** What is put moves what stands there. */
	inserts = false;
	#grid: string[][];
	#other: { grid: string[][]; cursor: Cursor } | undefined;
	#saved: Cursor = { row: 0, column: 0 };
	#top = 0;
	#bottom: number;
	#drawsLines = false;
	#last = " ";

	constructor({ columns, rows }: TerminalSize) {
		this.columns = columns;
		this.height = rows;
		this.#bottom = rows - 1;
		this.#grid = this.#emptyRows(rows);
	}

	/** Rows without the spaces at their ends. */
	rows(): string[] {
		return this.#grid.map((row) => row.join("").trimEnd());
	}

	resize({ columns, rows }: TerminalSize): void {
		const fit = (grid: string[][]) => {
			// What is above the cursor goes first.
			const over = Math.max(0, Math.min(grid.length - rows, this.row - rows + 1));
			const kept = grid.slice(over, over + rows).map((row) => [...row, ...this.#blank(columns)].slice(0, columns));
			while (kept.length < rows) kept.push(this.#blank(columns));
			return { kept, over };
		};
		const { kept, over } = fit(this.#grid);
		if (this.#other !== undefined) this.#other.grid = fit(this.#other.grid).kept;
		this.#grid = kept;
		this.columns = columns;
		this.height = rows;
		this.setRegion(0, rows - 1);
		this.moveTo(this.row - over, this.column);
	}

	/** Puts one character; `width` cells wide. */
	put(character: string, width: number): void {
		if (width === 0) {
			this.#combine(character);
			return;
		}
		if (this.column + width > this.columns) {
			if (this.wraps) {
				this.column = 0;
				this.lineFeed();
			} else this.column = this.columns - width;
		}
		const shown = this.#drawsLines ? (lineShapes[lineLetters.indexOf(character)] ?? character) : character;
		const row = this.#rowAt(this.row);
		if (this.inserts) {
			row.splice(this.column, 0, ...this.#blank(width));
			row.length = this.columns;
		}
		// Half of a wide character is none.
		if (row[this.column] === "" && this.column > 0) row[this.column - 1] = " ";
		row[this.column] = shown;
		for (let more = 1; more < width; more++) row[this.column + more] = "";
		this.column += width;
		if (row[this.column] === "") row[this.column] = " ";
		this.#last = character;
	}

	/** Puts the last character again. */
	repeat(count: number): void {
		for (let done = 0; done < Math.min(count, this.columns * this.height); done++)
			this.put(this.#last, Bun.stringWidth(this.#last));
	}

	moveTo(row: number, column: number): void {
		this.row = clamp(row, 0, this.height - 1);
		this.column = clamp(column, 0, this.columns - 1);
	}

	lineFeed(): void {
		if (this.row === this.#bottom) this.scroll(1);
		else if (this.row < this.height - 1) this.row++;
	}

	reverseLineFeed(): void {
		if (this.row === this.#top) this.scroll(-1);
		else if (this.row > 0) this.row--;
	}

	/** Moves the rows of the region up, or down when `count` is negative. */
	scroll(count: number, from = this.#top): void {
		const size = this.#bottom - from + 1;
		const moved = Math.min(Math.abs(count), size);
		if (moved <= 0) return;
		if (count > 0) {
			this.#grid.splice(from, moved);
			this.#grid.splice(this.#bottom - moved + 1, 0, ...this.#emptyRows(moved));
		} else {
			this.#grid.splice(this.#bottom - moved + 1, moved);
			this.#grid.splice(from, 0, ...this.#emptyRows(moved));
		}
	}

	/** Inserts rows at the cursor, or removes them when `count` is negative. */
	insertRows(count: number): void {
		if (this.row < this.#top || this.row > this.#bottom) return;
		this.scroll(-count, this.row);
		this.column = 0;
	}

	/** Inserts cells at the cursor, or removes them when `count` is negative. */
	insertCells(count: number): void {
		const row = this.#rowAt(this.row);
		if (count > 0) row.splice(this.column, 0, ...this.#blank(Math.min(count, this.columns)));
		else row.splice(this.column, -count);
		this.#grid[this.row] = [...row, ...this.#blank(this.columns)].slice(0, this.columns);
	}

	/** Empties cells of one row, from `from` to before `to`. */
	erase(row: number, from: number, to: number): void {
		const cells = this.#rowAt(row);
		for (let column = Math.max(0, from); column < Math.min(to, this.columns); column++) cells[column] = " ";
	}

	/** Rows that scroll. */
	setRegion(top: number, bottom: number): void {
		const isRegion = top < bottom && bottom < this.height;
		this.#top = isRegion ? top : 0;
		this.#bottom = isRegion ? bottom : this.height - 1;
	}

	saveCursor(): void {
		this.#saved = { row: this.row, column: this.column };
	}

	restoreCursor(): void {
		this.moveTo(this.#saved.row, this.#saved.column);
	}

	/** Changes to the other screen, which is empty, or back. */
	useOther(isOther: boolean): void {
		if (isOther === (this.#other !== undefined)) return;
		if (this.#other === undefined) {
			this.#other = { grid: this.#grid, cursor: { row: this.row, column: this.column } };
			this.#grid = this.#emptyRows(this.height);
		} else {
			const { grid, cursor } = this.#other;
			this.#grid = grid;
			this.#other = undefined;
			this.moveTo(cursor.row, cursor.column);
		}
		this.setRegion(0, this.height - 1);
	}

	/** Letters stand for lines, or for themselves. */
	useLines(drawsLines: boolean): void {
		this.#drawsLines = drawsLines;
	}

	reset(): void {
		this.useOther(false);
		this.#grid = this.#emptyRows(this.height);
		this.setRegion(0, this.height - 1);
		this.moveTo(0, 0);
		this.#drawsLines = false;
		this.wraps = true;
		this.inserts = false;
		this.usesApplicationKeys = false;
	}

	#combine(mark: string): void {
		const row = this.#rowAt(this.row);
		const before = this.column - 1;
		if (before >= 0) row[before] = `${row[before] ?? ""}${mark}`;
	}

	#rowAt(row: number): string[] {
		return this.#grid[row] ?? this.#blank(this.columns);
	}

	#blank(count: number): string[] {
		return Array.from({ length: count }, () => " ");
	}

	#emptyRows(count: number): string[][] {
		return Array.from({ length: count }, () => this.#blank(this.columns));
	}
}

function clamp(value: number, least: number, most: number): number {
	return Math.max(least, Math.min(value, most));
}
