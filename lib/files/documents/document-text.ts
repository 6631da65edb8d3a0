/** The text of notebooks, documents and tables, which is not what their files hold byte for byte. */

import { attempt } from "../../base/attempt.ts";
import { typeOf } from "../binary-types.ts";
import { docxText } from "./docx.ts";
import { notebookText } from "./notebook.ts";
import { xlsxText } from "./xlsx.ts";

/** Bytes of a file whose text is taken out. */
export const largestDocument = 20 * 1024 * 1024;

const readers: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
	ipynb: notebookText,
	docx: docxText,
	xlsx: xlsxText,
};

/** Whether a file of this name is read as a document. */
export function isDocumentName(path: string): boolean {
	return Object.hasOwn(readers, typeOf(path));
}

/** The text of the document in `bytes`; undefined for a name of another type, and for one that is damaged. */
export function documentText(path: string, bytes: Uint8Array): string | undefined {
	const read = isDocumentName(path) ? readers[typeOf(path)] : undefined;
	if (read === undefined) return undefined;
	const text = attempt(() => read(bytes));
	return text.ok ? text.value : undefined;
}
