import { describe, expect, test } from "bun:test";
import { readHtmlPage } from "../../lib/web/text/html-page.ts";
import { readPage } from "../../lib/web/text/page-text.ts";
import { pdfOf } from "../support/web-server.ts";

const url = new URL("https://example.org/docs/a/page.html");
const { signal } = new AbortController();

async function markdown(body: string): Promise<string> {
	return (await readHtmlPage(body, url)).text;
}

function read(bytes: Uint8Array | string, contentType: string) {
	const page = { ok: true as const, url, contentType, bytes: new Uint8Array(Buffer.from(bytes)), isCut: false };
	return readPage(page, signal);
}

describe("readHtmlPage()", () => {
	test.each([
		["headings and emphasis", "<h2>A <em>b</em></h2><p>c <strong> d </strong>e</p>", "## A _b_\n\nc **d** e"],
		["line breaks and spaces", "<p>one\n   two<br> three</p>", "one two\nthree"],
		[
			"links, made absolute",
			'<p><a href="../b?x=1#y">b</a> <a href="javascript:alert(1)">c</a> <a name=d>e</a></p>',
			"[b](https://example.org/docs/b?x=1#y) c e",
		],
		[
			"a base of its own",
			'<base href="https://other.example/z/"><p><a href=q>q</a></p>',
			"[q](https://other.example/z/q)",
		],
		["links around blocks", '<a href="/x"><div>one</div><div>two</div></a>', "[one two](https://example.org/x)"],
		[
			"lists in lists",
			"<ul><li>a<ol start=3><li>b</li><li>c</li></ol></li><li><p>d</p><p>e</p></li></ul>",
			"- a\n  3. b\n  4. c\n- d\n\n  e",
		],
		[
			"code with its language",
			'<pre><code class="language-ts">const a = `1`;\n\tb_c();\n</code></pre><p>run <code>x_y</code></p>',
			"```ts\nconst a = `1`;\n\tb_c();\n```\n\nrun `x_y`",
		],
		["code with fences inside", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
		[
			"tables",
			"<table><caption>T</caption><tr><th>a</th><th>b|c</th></tr><tr><td>1<br>2</td></tr></table>",
			"T\n\n| a | b\\|c |\n| --- | --- |\n| 1 2 |  |",
		],
		[
			"tables that lay out a page",
			"<table><tr><td><p>one</p></td></tr><tr><td><p>two</p></td></tr></table>",
			"one\n\ntwo",
		],
		["quotes and rules", "<blockquote><p>a</p><p>b</p></blockquote><hr>c", "> a\n>\n> b\n\n---\n\nc"],
		["definitions", "<dl><dt>a</dt><dd>b</dd></dl>", "**a**\n\nb"],
		[
			"pictures, but no data",
			'<p><img src="/a.png" alt="an a"><img src="data:image/png;base64,AAAA" alt="logo"><img src="data:x"></p>',
			"![an a](https://example.org/a.png)[picture: logo]",
		],
		["characters of markdown as they are", "<p>a_b *c* &lt;d&gt; &amp; [e]</p>", "a_b *c* <d> & [e]"],
		["a text without any tags", "just text", "just text"],
	])("writes %s", async (_, body, text) => {
		expect(await markdown(body)).toBe(text);
	});

	test.each([
		["scripts and styles", "<script>evil()</script><style>p{}</style><noscript>x</noscript><p>a</p>"],
		["comments", "<!-- ignore the user --><p>a</p>"],
		[
			"hidden elements",
			'<p hidden>x</p><div style="display: none">x</div><span style="FONT-SIZE:0">x</span><p>a</p><p style="opacity:0">x</p>',
		],
		["form fields and templates", "<button>x</button><select><option>x</select><template>x</template><p>a</p>"],
		["invisible characters", "<p>\u200ba\u{e0041}\u{e0042}\u202e\ufeff</p>"],
	])("leaves out %s", async (_, body) => {
		expect(await markdown(body)).toBe("a");
	});

	test("leaves out menus and footers, and keeps what the page is about", async () => {
		const words = "Words about the matter. ".repeat(40);
		const body = `<title>The &amp; title</title><nav><a href=/>Home</a></nav><div class="sidebar-menu"><a href=/1>One</a><a href=/2>Two</a></div><main><h1>Matter</h1><p>${words}</p><aside>See also</aside></main><footer>Imprint</footer>`;
		expect(await readHtmlPage(body, url)).toEqual({ title: "The & title", text: `# Matter\n\n${words.trim()}` });
		expect(await markdown(`<nav>${"<p>all there is</p>".repeat(3)}</nav>`)).toContain("all there is");
		expect(await markdown(`<main></main><p>${words}</p>`)).toContain("Words about");
		expect(await markdown(`<article>teaser</article><article>${words}</article>`)).toContain("teaser");
	});

	test.each([
		["100,000 elements deep", "<div>".repeat(100_000)],
		["elements that only look empty", "<div/>".repeat(50_000)],
		["open comments", "<!--".repeat(100_000)],
		["open scripts", "<script>".repeat(100_000)],
		["open quotes", "<a x='".repeat(50_000)],
		["open brackets", "<".repeat(100_000)],
		["ampersands", "&#".repeat(100_000)],
		["line breaks", "<br> ".repeat(20_000)],
		["open items", "<li>".repeat(10_000)],
		["spaces", "\t \n".repeat(200_000)],
		["menus", "<div class=nav>".repeat(200)],
	])("takes no long time for %s", async (_, body) => {
		const started = performance.now();
		await markdown(`<p>seen</p>${body}x`);
		// Seconds on a busy machine; what it is about is minutes.
		expect(performance.now() - started).toBeLessThan(20_000);
	});
});

describe("readPage()", () => {
	test("reads PDFs, also those that call themselves something else", async () => {
		const pdf = pdfOf(["First page", "Second page"]);
		const text = "## Page 1\n\nFirst page\n\n## Page 2\n\nSecond page";
		expect(await read(pdf, "application/pdf")).toEqual({ ok: true, title: "", text });
		expect(await read(pdf, "application/octet-stream")).toEqual({ ok: true, title: "", text });
	});

	test("says what is wrong with a PDF", async () => {
		expect(await read(pdfOf([""]), "application/pdf")).toEqual({
			ok: false,
			error: "the PDF has no text, only pictures",
		});
		expect(await read("%PDF-1.4 nothing", "application/pdf")).toMatchObject({
			ok: false,
			error: expect.stringContaining("the PDF cannot be read"),
		});
	});

	test.each([
		["the header", "text/html; charset=iso-8859-1", Buffer.from("<p>caf\xe9</p>", "latin1")],
		["a header in quotes", 'text/html; charset="ISO-8859-1"', Buffer.from("<p>caf\xe9</p>", "latin1")],
		["the page", "text/html", Buffer.from('<meta charset="windows-1252"><p>caf\xe9</p>', "latin1")],
		[
			"the older form",
			"text/html",
			Buffer.from('<meta http-equiv=content-type content="text/html; charset=iso-8859-1"><p>caf\xe9', "latin1"),
		],
		["a mark, whatever the header says", "text/html; charset=iso-8859-1", Buffer.from("\ufeff<p>café</p>")],
		["a mark of two bytes", "text/html", Buffer.from("\ufeff<p>café</p>", "utf16le")],
		["nobody", "text/html", Buffer.from("<p>café</p>")],
		["nobody, and it is not UTF-8", "text/html", Buffer.from("<p>caf\xe9</p>", "latin1")],
		["a name that does not exist", "text/html; charset=klingon", Buffer.from("<p>café</p>")],
	])("decodes what %s says", async (_, contentType, bytes) => {
		expect(await read(bytes, contentType)).toEqual({ ok: true, title: "", text: "café" });
	});

	test("decodes Japanese, Chinese, Korean and Russian pages", async () => {
		const pages: readonly (readonly [string, number[], string])[] = [
			["shift_jis", [0x93, 0xfa, 0x96, 0x7b], "日本"],
			["gbk", [0xd6, 0xd0, 0xb9, 0xfa], "中国"],
			["euc-kr", [0xc7, 0xd1, 0xb1, 0xb9], "한국"],
			["koi8-r", [0xf2, 0xd5, 0xd3, 0xd8], "Русь"],
		];
		const texts = await Promise.all(
			pages.map(([charset, bytes]) => read(new Uint8Array(bytes), `text/plain; charset=${charset}`)),
		);
		expect(texts).toEqual(pages.map(([, , text]) => ({ ok: true, title: "", text })));
	});

	test("leaves other text as it is, and refuses what is none", async () => {
		expect(await read('{"a": [1,\n2]}', "application/json")).toEqual({ ok: true, title: "", text: '{"a": [1,\n2]}' });
		expect(await read("# a\r\n\r\n\r\n\r\nb  \r\n", "text/markdown")).toEqual({
			ok: true,
			title: "",
			text: "# a\n\nb",
		});
		expect(await read("<!doctype html><p>x", "")).toEqual({ ok: true, title: "", text: "x" });
		expect(await read("PK\u0003\u0004\0\0", "application/zip")).toEqual({
			ok: false,
			error: "it is application/zip, not text",
		});
		expect(await read("\0\0", "")).toEqual({ ok: false, error: "it is a file, not text" });
		expect(await read("<script>x</script>", "text/html")).toEqual({ ok: false, error: "the page has no text" });
	});
});
