/** The text of PDF files. */

import { attemptAsync } from "../../base/attempt.ts";
import type { PageText } from "./html-page.ts";
import { tidyText } from "./plain-text.ts";

/** A document's text, or why there is none. */
export type PdfRead = ({ readonly ok: true } & PageText) | { readonly ok: false; readonly error: string };

const mostPages = 300;

/** Reads page after page until `signal` says stop; a heading names each page. Pictures of text are not recognised. */
export async function readPdf(bytes: Uint8Array, signal: AbortSignal): Promise<PdfRead> {
	const read = await attemptAsync(() => readPages(bytes, signal));
	signal.throwIfAborted();
	return read.ok ? read.value : { ok: false, error: `the PDF cannot be read: ${read.reason}` };
}

async function readPages(bytes: Uint8Array, signal: AbortSignal): Promise<PdfRead> {
	const { getDocumentProxy } = await import("unpdf");
	const document = await getDocumentProxy(bytes, { verbosity: 0 });
	try {
		const last = Math.min(document.numPages, mostPages);
		const pages: string[] = [];
		for (let number = 1; number <= last; number++) {
			signal.throwIfAborted();
			const { items } = await (await document.getPage(number)).getTextContent();
			const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
			pages.push(tidyText(text));
		}
		if (pages.every((page) => page === "")) return { ok: false, error: "the PDF has no text, only pictures" };
		const { info } = await document.getMetadata();
		const cut = document.numPages > last ? `\n\n[${document.numPages - last} more pages]` : "";
		const body = pages.map((page, index) => `## Page ${index + 1}\n\n${page}`).join("\n\n");
		return { ok: true, title: titleIn(info), text: body + cut };
	} finally {
		await document.loadingTask.destroy();
	}
}

function titleIn(info: object): string {
	return "Title" in info && typeof info.Title === "string" ? tidyText(info.Title) : "";
}
