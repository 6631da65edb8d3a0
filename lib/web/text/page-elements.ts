/** The parts of a parsed page that we use; the project is not compiled with a browser's types. */

/** Something in a page; `nodeType` 1 is an element, 3 a text. */
export interface PageNode {
	readonly nodeType: number;
	readonly textContent: string | null;
	readonly childNodes: Iterable<PageNode>;
	readonly parentNode: PageNode | null;
}

/** An element. */
export interface PageElement extends PageNode {
	/** In any case. */
	readonly tagName: string;
	getAttribute(name: string): string | null;
	setAttribute(name: string, value: string): void;
	remove(): void;
	querySelector(selector: string): PageElement | null;
	querySelectorAll(selector: string): Iterable<PageElement>;
}

/** A parsed page. */
export interface PageDocument {
	readonly body: PageElement;
	querySelector(selector: string): PageElement | null;
	querySelectorAll(selector: string): Iterable<PageElement>;
	toString(): string;
}

/** Whether `node` is an element. */
export function isElement(node: PageNode): node is PageElement {
	return node.nodeType === 1;
}

/** The name of an element in small letters; a text has none. */
export function nameOf(node: PageNode): string {
	return isElement(node) ? node.tagName.toLowerCase() : "";
}

/** Gives a parser of HTML. The parser takes what is broken as browsers do, more or less. */
export async function openHtmlParser(): Promise<(html: string) => PageDocument> {
	const { parseHTML } = await import("linkedom");
	// Without a root element the parser puts the text nowhere.
	return (html) => parseHTML(/<(?:html|body)\b/i.test(html) ? html : `<html><body>${html}</body></html>`).document;
}
