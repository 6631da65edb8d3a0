/** The paragraphs of a text document (.docx). */

import { xmlParts } from "./xml.ts";
import { openZip } from "./zip.ts";

const breaks: Readonly<Record<string, string>> = { tab: "\t", br: "\n", cr: "\n" };

/**
 * A line for every paragraph.
 * @throws {Error} When it is no such document.
 */
export function docxText(bytes: Uint8Array): string {
	const xml = openZip(bytes).text("word/document.xml");
	if (xml === undefined) throw new Error("Cannot read the document: it has no text part");
	// A tab among the properties of a paragraph is where tabs stop, not a character.
	const body = xml.replace(/<w:pPr[ >].*?<\/w:pPr>/gs, "");
	let text = "";
	let isText = false;
	for (const part of xmlParts(body)) {
		if (part.kind === "text") text += isText ? part.text : "";
		else if (part.name === "t") isText = part.kind === "open";
		else text += signOf(part);
	}
	return text;
}

function signOf({ kind, name }: { readonly kind: "open" | "close"; readonly name: string }): string {
	if (kind === "close") return name === "p" ? "\n" : "";
	return breaks[name] ?? "";
}
