/** The readable part of an HTML page as markdown. */

import { attemptAsync } from "../../base/attempt.ts";
import { nameOf, openHtmlParser, type PageDocument, type PageElement } from "./page-elements.ts";
import { decodeEntities, stripTags, stripUnseen, tidyText } from "./plain-text.ts";
import { writeMarkdown } from "./write-markdown.ts";

/** A page as text. */
export interface PageText {
	readonly title: string;
	readonly text: string;
}

/** Longer pages are cut. */
const mostCharacters = 2_000_000;
/** Deeper pages are not parsed: it takes time by the square of the depth, and in the end the stack. */
const deepest = 256;
/** A part with less than this share of the text is not what the page is about, whatever it calls itself. */
const leastShare = 0.2;
const enoughCharacters = 1_500;
/** Each costs a look at everything in it. */
const mostFraming = 500;

const unseen =
	"title,script,style,noscript,template,iframe,object,embed,canvas,svg,dialog,input,select,textarea,button,[hidden]";
const frame = [
	"nav,footer,aside,[role=navigation],[role=contentinfo]",
	...["nav", "menu", "sidebar", "breadcrumb", "cookie", "social", "share", "related", "toc"].flatMap((word) =>
		["div", "ul", "section"].flatMap((name) => [`${name}[class*=${word}]`, `${name}[id*=${word}]`]),
	),
].join(",");
const hiddenStyle = /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)/i;

/** The page at `url` as markdown with absolute links. A page that no parser takes comes as its bare text. */
export async function readHtmlPage(html: string, url: URL): Promise<PageText> {
	const source = stripUnseen(html.slice(0, mostCharacters));
	const read = depthOf(source) > deepest ? undefined : await attemptAsync(() => parsePage(source, url));
	if (read?.ok === true) return read.value;
	const title = /<title[^<>]*>([^<]{0,500})/i.exec(source)?.[1] ?? "";
	return { title: tidyText(decodeEntities(title)), text: stripTags(source) };
}

async function parsePage(html: string, url: URL): Promise<PageText> {
	const parse = await openHtmlParser();
	const document = parse(html);
	const title = tidyText(document.querySelector("title")?.textContent ?? "");
	cleanPage(document, url);
	return { title, text: tidyText(writeMarkdown(mainPart(document))) };
}

/** What the page itself calls its main part; else all of it. Menus and the like are taken out of either. */
function mainPart(document: PageDocument): PageElement {
	const main = document.querySelector("main,[role=main]") ?? onlyArticle(document);
	const part = main !== null && isEnough(lengthOf(main), document) ? main : document.body;
	const whole = lengthOf(part);
	const framing = [...part.querySelectorAll(frame)]
		.slice(0, mostFraming)
		.filter((element) => isFraming(element, whole));
	const framed = framing.reduce((sum, element) => sum + lengthOf(element), 0);
	if (framed < whole) for (const element of framing) element.remove();
	return part;
}

/** Of several articles none is the page. */
function onlyArticle(document: PageDocument): PageElement | null {
	const articles = [...document.querySelectorAll("article")].slice(0, 2);
	return articles.length === 1 ? (articles[0] ?? null) : null;
}

/** Parts that only sound like a menu must consist of links to be taken for one. What has the title stays. */
function isFraming(element: PageElement, whole: number): boolean {
	const name = nameOf(element);
	if (element.querySelector("h1") !== null) return false;
	if (/^(?:nav|footer|aside)$/.test(name) || element.getAttribute("role") !== null)
		return lengthOf(element) < whole * 0.7;
	const linked = [...element.querySelectorAll("a")].reduce((sum, link) => sum + lengthOf(link), 0);
	return linked > lengthOf(element) * 0.6 && lengthOf(element) < whole * 0.5;
}

function isEnough(length: number, { body }: PageDocument): boolean {
	return length >= enoughCharacters || length >= lengthOf(body) * leastShare;
}

/** Tags that need no end, or never have one, cannot nest by themselves. */
const unnested =
	/^(?:p|li|dt|dd|td|th|tr|tbody|thead|tfoot|option|area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Counted over the tags, because the parser is to be spared. */
function depthOf(html: string): number {
	let depth = 0;
	let deepestYet = 0;
	for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)[^<>]*>?/gi)) {
		// `<div/>` is no empty element in HTML: what follows lies inside of it.
		if (unnested.test(name)) continue;
		depth = Math.max(0, depth + (slash === "" ? 1 : -1));
		deepestYet = Math.max(deepestYet, depth);
	}
	return deepestYet;
}

function lengthOf({ textContent }: PageElement): number {
	return textContent?.trim().length ?? 0;
}

/** Takes out what a person does not see, and makes links absolute while it is known to what. */
function cleanPage(document: PageDocument, url: URL): void {
	const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url.href) ?? url;
	for (const element of document.querySelectorAll(unseen)) element.remove();
	for (const element of document.querySelectorAll("[style]")) {
		if (hiddenStyle.test(element.getAttribute("style") ?? "")) element.remove();
	}
	for (const name of ["href", "src"]) {
		for (const element of document.querySelectorAll(`[${name}]`)) {
			const target = URL.parse(element.getAttribute(name) ?? "", base.href);
			if (target !== null) element.setAttribute(name, target.href);
		}
	}
}
