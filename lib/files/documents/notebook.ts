/** The cells of a notebook (.ipynb) as text. */

import { z } from "zod";

const source = z.union([z.string(), z.array(z.string())]).transform((text) => [text].flat().join(""));
const cell = z.object({ cell_type: z.string(), source: source.optional(), input: source.optional() });
/** Notebooks of format 3 keep their cells in work sheets. */
const notebook = z.object({
	cells: z.array(cell).optional(),
	worksheets: z.array(z.object({ cells: z.array(cell) })).optional(),
});

const headings: Readonly<Record<string, string>> = { markdown: "Markdown cell", code: "Code cell", raw: "Raw cell" };

/**
 * Every cell with a heading; outputs are left out.
 * @throws {Error} When it is no notebook, or has no cells.
 */
export function notebookText(bytes: Uint8Array): string {
	const parsed = notebook.parse(JSON.parse(new TextDecoder().decode(bytes)));
	const cells = parsed.cells ?? parsed.worksheets?.flatMap((sheet) => sheet.cells) ?? [];
	if (cells.length === 0) throw new Error("Cannot read the notebook: it has no cells");
	const counts = new Map<string, number>();
	const texts = cells.map(({ cell_type: kind, source, input }) => {
		const number = (counts.get(kind) ?? 0) + 1;
		counts.set(kind, number);
		const text = source ?? input ?? "";
		return `# ── ${headings[kind] ?? `${kind} cell`} ${number} ──\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
	});
	return texts.join("\n");
}
