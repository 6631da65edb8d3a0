/** Writes what stands inside of a paragraph: links, emphasis, code, pictures. */

import { isElement, nameOf, type PageElement, type PageNode } from "./page-elements.ts";

/** A line break that the page asks for; white space in the source is no line break. */
const lineBreak = "\u2028";

/** A text or an inline element; what is larger inside of it comes as its text. `tidyInline` goes over the whole paragraph. */
export function inlineText(node: PageNode): string {
	if (!isElement(node)) return node.nodeType === 3 ? (node.textContent ?? "").replace(/[\s\u2028]+/g, " ") : "";
	switch (nameOf(node)) {
		case "br":
			return lineBreak;
		case "img":
			return picture(node);
		case "a":
			return link(node);
		case "strong":
		case "b":
			return around(node, "**");
		case "em":
		case "i":
			return around(node, "_");
		case "del":
		case "s":
			return around(node, "~~");
		case "code":
		case "kbd":
		case "samp":
		case "tt":
			return code(node);
		default:
			return inside(node);
	}
}

/** One paragraph: single spaces, and no space beside a line break. */
export function tidyInline(text: string): string {
	return text
		.replace(/[ \t\n]+/g, " ")
		.replace(/ ?\u2028 ?/g, "\n")
		.trim();
}

function inside(element: PageElement): string {
	let text = "";
	for (const child of element.childNodes)
		text += inlineText(child) + (nameOf(child) === "" || !endsWord(child) ? "" : " ");
	return text;
}

/** Words of neighbouring blocks in a link or a heading must not run together. */
function endsWord(node: PageNode): boolean {
	return /^(?:p|div|li|h[1-6]|td|th|dt|dd|section|article)$/.test(nameOf(node));
}

/** Marks go inside of the spaces around the text, and one pair is enough. */
function around(element: PageElement, mark: string): string {
	const text = inside(element);
	const [, before = "", middle = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
	return middle === "" || middle.startsWith(mark) ? text : before + mark + middle + mark + after;
}

function code(element: PageElement): string {
	const text = (element.textContent ?? "").replace(/\s+/g, " ").trim();
	if (text === "") return "";
	return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function link(element: PageElement): string {
	const text = tidyInline(inside(element)).replace(/\n/g, " ");
	const target = element.getAttribute("href") ?? "";
	if (text === "" || !/^https?:|^mailto:/i.test(target)) return text;
	return text === target ? `<${target}>` : `[${text}](${target.replaceAll(" ", "%20").replaceAll(")", "%29")})`;
}

/** A picture that is part of the page itself has no address to give. */
function picture(element: PageElement): string {
	const alt = (element.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
	const source = element.getAttribute("src") ?? "";
	if (/^https?:/i.test(source)) return `![${alt}](${source.replaceAll(" ", "%20").replaceAll(")", "%29")})`;
	return alt === "" ? "" : `[picture: ${alt}]`;
}
