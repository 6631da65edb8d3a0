/** The visible sheets of a table document (.xlsx). */

import { xmlParts } from "./xml.ts";
import { openZip, type Zip } from "./zip.ts";

const mostRows = 5_000;
const mostColumns = 256;

interface Sheet {
	readonly name: string;
	readonly part: string;
}

/**
 * A heading for every sheet, a line for every row, tabs between cells.
 * @throws {Error} When it is no such document.
 */
export function xlsxText(bytes: Uint8Array): string {
	const zip = openZip(bytes);
	const strings = sharedStrings(zip);
	const sheets = visibleSheets(zip).map(({ name, part }) => {
		const rows = rowsOf(zip.text(part) ?? "", strings);
		return `# ── Sheet: ${name} ──\n${rows.length === 0 ? "(empty)" : rows.join("\n")}\n`;
	});
	return sheets.join("\n");
}

function visibleSheets(zip: Zip): Sheet[] {
	const workbook = zip.text("xl/workbook.xml");
	if (workbook === undefined) throw new Error("Cannot read the table: it has no workbook");
	const targets = targetsOf(zip.text("xl/_rels/workbook.xml.rels") ?? "");
	const sheets: Sheet[] = [];
	for (const part of xmlParts(workbook)) {
		if (part.kind !== "open" || part.name !== "sheet") continue;
		const isHidden = (part.attribute("state") ?? "visible") !== "visible";
		const target = targets.get(part.attribute("r:id") ?? part.attribute("id") ?? "");
		if (!isHidden && target !== undefined) sheets.push({ name: part.attribute("name") ?? "", part: target });
	}
	return sheets;
}

/** The parts of the archive by the ids of relations. */
function targetsOf(relations: string): Map<string, string> {
	const targets = new Map<string, string>();
	for (const part of xmlParts(relations)) {
		if (part.kind !== "open" || part.name !== "Relationship") continue;
		const target = part.attribute("Target") ?? "";
		const full = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
		targets.set(part.attribute("Id") ?? "", full);
	}
	return targets;
}

/** How the sounds of a text are written (`rPh`) is a part of its entry, but not of the text. */
const notText = new Set(["rPh"]);

function sharedStrings(zip: Zip): string[] {
	return textsOf(zip.text("xl/sharedStrings.xml") ?? "", "si").map(({ text }) => text);
}

/** An element with the texts and values in it. */
interface Element {
	readonly attribute: (name: string) => string | undefined;
	text: string;
}

/** Every element called `name` in `xml`, with what stands in its `t` and `v`. */
function textsOf(xml: string, name: string): Element[] {
	const elements: Element[] = [];
	let isText = false;
	let left = false;
	for (const part of xmlParts(xml)) {
		const element = elements.at(-1);
		if (part.kind === "text") {
			if (isText && !left && element !== undefined) element.text += part.text;
		} else if (notText.has(part.name)) left = part.kind === "open";
		else if (part.name === "t" || part.name === "v") isText = part.kind === "open";
		else if (part.name === name && part.kind === "open") elements.push({ attribute: part.attribute, text: "" });
	}
	return elements;
}

function rowsOf(sheet: string, strings: readonly string[]): string[] {
	const rows: string[][] = [];
	let column = 0;
	for (const { attribute, text } of textsOf(sheet, "c")) {
		const place = placeOf(attribute("r"));
		const row = place?.row ?? rows.length - 1;
		column = place?.column ?? column + 1;
		if (row >= mostRows) break;
		while (rows.length <= row) rows.push([]);
		const cells = rows[row];
		if (cells !== undefined && column < mostColumns) cells[column] = cellText(attribute("t") ?? "n", text, strings);
	}
	while (rows.at(-1)?.every((text) => text === "") === true) rows.pop();
	return rows.map((row) => Array.from(row, (text) => text ?? "").join("\t"));
}

function cellText(type: string, text: string, strings: readonly string[]): string {
	if (type === "s") return oneLine(strings[Number(text)] ?? "");
	if (type === "b") return text === "1" ? "TRUE" : "FALSE";
	return oneLine(text);
}

/** Line ends and tabs in a cell would look like further rows and cells. */
function oneLine(text: string): string {
	return text.replace(/\s*[\r\n\t]+\s*/g, " ");
}

/** From 0: column 27 and row 6 for `AB7`. */
function placeOf(reference: string | undefined): { readonly row: number; readonly column: number } | undefined {
	const [, letters, digits] = /^([A-Z]{1,3})(\d{1,7})$/.exec(reference ?? "") ?? [];
	if (letters === undefined) return undefined;
	const column = [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
	return { row: Number(digits) - 1, column };
}
