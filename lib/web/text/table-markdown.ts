/** Writes tables: data as a markdown table, and what only lays out a page as paragraphs. */

import { nameOf, type PageElement } from "./page-elements.ts";

/** The table as blocks; `contentOf` writes one cell. */
export function writeTable(table: PageElement, contentOf: (cell: PageElement) => string[]): string[] {
	const rows = [...table.querySelectorAll("tr")].map(cellsOf).filter((cells) => cells.length > 0);
	const caption = table.querySelector("caption")?.textContent?.trim() ?? "";
	if (!isData(table, rows)) return rows.flat().flatMap(contentOf);
	const columns = Math.max(...rows.map((cells) => cells.length));
	const [first = "", ...others] = rows.map((cells) => {
		const texts = Array.from({ length: columns }, (_, column) => cells[column]);
		return `| ${texts.map((cell) => (cell === undefined ? "" : cellText(contentOf(cell)))).join(" | ")} |`;
	});
	const text = [first, `|${" --- |".repeat(columns)}`, ...others].join("\n");
	return caption === "" ? [text] : [caption, text];
}

function cellsOf(row: PageElement): PageElement[] {
	const cells: PageElement[] = [];
	for (const cell of row.querySelectorAll("td,th")) if (nameOf(cell) !== "") cells.push(cell);
	return cells;
}

/** Layout has neither headings nor several columns everywhere, or has tables inside. */
function isData(table: PageElement, rows: readonly (readonly PageElement[])[]): boolean {
	if (rows.length === 0 || table.querySelector("table") !== null) return false;
	return table.querySelector("th") !== null || (rows.length > 1 && rows.every((cells) => cells.length > 1));
}

function cellText(blocks: readonly string[]): string {
	return blocks.join(" ").replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
