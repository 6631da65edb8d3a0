/** The packages that read pages and PDFs work in the executable, which compiles nothing from strings. */

import { beforeAll, expect, test } from "bun:test";
import { builtBinary } from "../support/built-binary.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { html, pdfOf, startWebServer, typed } from "../support/web-server.ts";

let binary = "";

beforeAll(async () => {
	binary = await builtBinary();
}, 120_000);

test("web_extract reads a page and a PDF", async () => {
	using home = temporaryFolder();
	await using server = startWebServer({
		"/page": html("<title>T</title><table><tr><th>a</th></tr><tr><td>1</td></tr></table>"),
		"/paper": typed(pdfOf(["On paper"]), "application/pdf"),
		"/old": typed(new Uint8Array([0x93, 0xfa, 0x96, 0x7b]), "text/plain; charset=shift_jis"),
	});
	const urls = ["/page", "/paper", "/old"].map((path) => server.url + path);
	const ran = await runProgram([binary, "tools", "call", "web_extract", JSON.stringify({ urls })], {
		cwd: home.path,
		env: { HOME: home.path, PATH: process.env.PATH ?? "", HERMES_ALLOW_PRIVATE_URLS: "1" },
	});
	const { results } = JSON.parse(ran.stdout);
	expect({ contents: results.map(({ content }: { content: string }) => content), stderr: ran.stderr }).toEqual({
		contents: ["| a |\n| --- |\n| 1 |", "## Page 1\n\nOn paper", "日本"],
		stderr: "",
	});
}, 60_000);
