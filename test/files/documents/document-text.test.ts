/** The text of notebooks, documents and tables. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { documentText } from "../../../lib/files/documents/document-text.ts";
import { readPage } from "../../../lib/files/read.ts";
import { sharedToolSession } from "../../support/shared-tool-session.ts";
import { zipArchive } from "../../support/zip-archive.ts";

const shared = sharedToolSession();
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const paragraphs = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>
<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>Fish &amp; chips</w:t><w:tab/><w:t xml:space="preserve"> &#8364;5 &#x1F600;</w:t></w:r></w:p>
<w:p/><!-- <w:t>no</w:t> --><w:p><w:r><w:t>one</w:t><w:br/><w:t>two</w:t></w:r></w:p></w:body></w:document>`;
const docx = (isStored: boolean) =>
	zipArchive({ "[Content_Types].xml": "<x/>", "word/document.xml": paragraphs }, isStored);

const table = {
	"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="A &amp; B" sheetId="1" r:id="rId1"/><sheet name="Secret" state="hidden" r:id="rId2"/>
<sheet name="Gone" state="veryHidden" r:id="rId2"/><sheet name="Empty" r:id="rId3"/></sheets></workbook>`,
	"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Target="/xl/worksheets/sheet3.xml"/></Relationships>`,
	"xl/sharedStrings.xml": `<sst><si><t>first</t></si><si><r><t>two </t></r><r><t>runs</t></r><rPh><t>sound</t></rPh></si><si><t>line
end</t></si></sst>`,
	"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
<row r="3"><c r="A3"><f>1+1</f><v>2</v></c><c r="B3" t="b"><v>1</v></c><c r="C3" t="e"><v>#DIV/0!</v></c><c r="D3" t="inlineStr"><is><t>inline</t></is></c><c r="E3" t="s"><v>2</v></c></row>
<row r="4"><c r="A4" s="1"/></row></sheetData></worksheet>`,
	"xl/worksheets/sheet2.xml": `<worksheet><sheetData><row r="1"><c r="A1"><v>42</v></c></row></sheetData></worksheet>`,
	"xl/worksheets/sheet3.xml": "<worksheet><sheetData/></worksheet>",
};

describe("documentText()", () => {
	test("shows the cells of a notebook, each kind counted", () => {
		const cells = [
			{ cell_type: "markdown", source: ["# Title\n", "text"] },
			{ cell_type: "code", source: "x = 1\n", outputs: [{ text: "long" }] },
			{ cell_type: "code", source: [] },
			{ cell_type: "raw", source: "raw" },
		];
		expect(documentText("a/b.ipynb", json({ cells, nbformat: 4 }))).toBe(
			"# ── Markdown cell 1 ──\n# Title\ntext\n\n# ── Code cell 1 ──\nx = 1\n\n# ── Code cell 2 ──\n\n# ── Raw cell 1 ──\nraw\n",
		);
		const old = { worksheets: [{ cells: [{ cell_type: "code", input: ["y = 2"] }] }], nbformat: 3 };
		expect(documentText("old.IPYNB", json(old))).toBe("# ── Code cell 1 ──\ny = 2\n");
	});

	test.each([[true], [false]])("shows the paragraphs of a document (stored: %j)", (isStored) => {
		expect(documentText("a.docx", docx(isStored))).toBe("Fish & chips\t €5 😀\n\none\ntwo\n");
	});

	test("shows the visible sheets of a table", () => {
		expect(documentText("a.xlsx", zipArchive(table))).toBe(
			"# ── Sheet: A & B ──\nfirst\t\ttwo runs\n\n2\tTRUE\t#DIV/0!\tinline\tline end\n\n# ── Sheet: Empty ──\n(empty)\n",
		);
	});

	test.each([
		["a.ipynb", Buffer.from("{")],
		["a.ipynb", json({ cells: [] })],
		["a.docx", Buffer.from("PK\x03\x04 cut")],
		["a.docx", zipArchive({ other: "x" })],
		["a.docx", docx(false).subarray(0, -30)],
		["a.xlsx", zipArchive({ "xl/workbook.xml": new Uint8Array(70 * 1024 * 1024) })],
		["a.txt", docx(false)],
		[".docx", docx(false)],
	])("is undefined for what is no document: %s", (name, bytes) => {
		expect(documentText(name, bytes)).toBeUndefined();
	});
});

test("read_file pages through documents, with and without a process", async () => {
	const { session, at } = shared;
	writeFileSync(at("d.docx"), docx(false));
	const size = docx(false).length;
	const shown = { content: "3|one\n4|two", total_lines: 4, file_size: size, extracted_document: true };
	expect(await session.call("read_file", { path: "d.docx", offset: 3 })).toMatchObject(shown);
	const { execute } = session.context;
	expect(await readPage({ execute }, { path: "d.docx", offset: 1, limit: 1 })).toMatchObject({
		content: "1|Fish & chips\t €5 😀",
		isTruncated: true,
		isExtracted: true,
	});
	writeFileSync(at("broken.docx"), docx(false).subarray(0, -30));
	expect(await session.call("read_file", { path: "broken.docx" })).toMatchObject({ is_binary: true });
	writeFileSync(at("broken.ipynb"), "{ not json\n");
	expect(await session.call("read_file", { path: "broken.ipynb" })).toMatchObject({ content: "1|{ not json" });
});
