/** What a server sent as text for a model: HTML and PDF are converted, other text stays as it is. */

import type { FetchedPage } from "../fetch/fetch-page.ts";
import { decodeText, isBinary } from "./decode-text.ts";
import { type PageText, readHtmlPage } from "./html-page.ts";
import { readPdf } from "./pdf-text.ts";
import { tidyText } from "./plain-text.ts";

/** A page's text, or why there is none. */
export type PageRead = ({ readonly ok: true } & PageText) | { readonly ok: false; readonly error: string };

/** Texts beyond this are cut, wherever they are saved. */
const mostCharacters = 2_000_000;

/** Reads a page by its type; where the type says nothing, by how it begins. */
export async function readPage(page: FetchedPage, signal: AbortSignal): Promise<PageRead> {
	const read = await readByType(page, signal);
	if (!read.ok) return read;
	const cut =
		page.isCut || read.text.length > mostCharacters ? "\n\n[the rest of the page was too long to be read]" : "";
	const text = read.text.slice(0, mostCharacters) + cut;
	return text.trim() === "" ? { ok: false, error: "the page has no text" } : { ok: true, title: read.title, text };
}

async function readByType({ url, bytes, contentType, isCut }: FetchedPage, signal: AbortSignal): Promise<PageRead> {
	const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
	if (type === "application/pdf" || startsWith(bytes, "%PDF-")) {
		return isCut ? { ok: false, error: "the PDF is too large" } : readPdf(bytes, signal);
	}
	if (isBinary(bytes, contentType)) return { ok: false, error: `it is ${type || "a file"}, not text` };
	const text = decodeText(bytes, contentType);
	const isHtml = /^(?:text\/html|application\/xhtml\+xml)$/.test(type);
	const looksLikeHtml =
		!/^(?:text|application)\/(?!octet-stream|x-download)/.test(type) && /^\s*<(?:!doctype html|html)\b/i.test(text);
	if (isHtml || looksLikeHtml) return { ok: true, ...(await readHtmlPage(text, url)) };
	return { ok: true, title: "", text: tidyText(text) };
}

function startsWith(bytes: Uint8Array, text: string): boolean {
	return Buffer.from(bytes.subarray(0, text.length)).toString("latin1") === text;
}
