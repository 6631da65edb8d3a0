/** Writes a part of a page as markdown for a model: links, tables, code with its language, and no backslashes. */

import { inlineText, tidyInline } from "./inline-markdown.ts";
import { isElement, nameOf, type PageElement, type PageNode } from "./page-elements.ts";
import { writeTable } from "./table-markdown.ts";

const blockNames = new Set(
	`address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
	header hr legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul`.split(/\s+/),
);
const blockSelector = [...blockNames].join(",");

/** `root` and everything in it. @throws {RangeError} When it is nested deeper than the stack. */
export function writeMarkdown(root: PageElement): string {
	return blocksOf(root, holdersIn(root)).join("\n\n");
}

/** The elements with a block somewhere inside, found in one pass. */
type Holders = ReadonlySet<PageNode>;

function holdersIn(root: PageElement): Holders {
	const holders = new Set<PageNode>();
	for (const block of root.querySelectorAll(blockSelector)) {
		for (let above = block.parentNode; above !== null && !holders.has(above); above = above.parentNode) {
			holders.add(above);
		}
	}
	return holders;
}

/** What lies in `parent` as paragraphs and larger things. */
function blocksOf(parent: PageNode, holders: Holders): string[] {
	const blocks: string[] = [];
	let line = "";
	const endLine = () => {
		const text = tidyInline(line);
		if (text !== "") blocks.push(text);
		line = "";
	};
	for (const child of parent.childNodes) {
		const name = nameOf(child);
		const isBlock = blockNames.has(name);
		if (!isBlock && (name === "a" || !holders.has(child))) {
			line += inlineText(child);
			continue;
		}
		endLine();
		blocks.push(
			...(isBlock && isElement(child) ? blockOf(name, child, holders) : blocksOf(child, holders)).filter(Boolean),
		);
	}
	endLine();
	return blocks;
}

function blockOf(name: string, element: PageElement, holders: Holders): string[] {
	switch (name) {
		case "h1":
		case "h2":
		case "h3":
		case "h4":
		case "h5":
		case "h6":
			return heading(Number(name.slice(1)), element);
		case "ul":
		case "ol":
			return [list(element, holders)];
		case "pre":
			return [codeBlock(element)];
		case "blockquote":
			return [prefixed(blocksOf(element, holders).join("\n\n"), "> ")];
		case "table":
			return writeTable(element, (cell) => blocksOf(cell, holders));
		case "hr":
			return ["---"];
		case "dt":
			return blocksOf(element, holders).map((text) => `**${text}**`);
		default:
			return blocksOf(element, holders);
	}
}

function heading(level: number, element: PageElement): string[] {
	const text = tidyInline(inlineText(element)).replace(/\s*\n\s*/g, " ");
	return text === "" ? [] : [`${"#".repeat(level)} ${text}`];
}

function list(element: PageElement, holders: Holders): string {
	const isOrdered = nameOf(element) === "ol";
	let number = Number(element.getAttribute("start") ?? 1);
	if (!Number.isSafeInteger(number)) number = 1;
	const items: string[] = [];
	for (const child of element.childNodes) {
		if (!isElement(child)) continue;
		// A list that lies directly in a list belongs to the item before it.
		const isItem = nameOf(child) === "li";
		const text = isItem ? itemText(child, holders) : blockOf(nameOf(child), child, holders).join("\n");
		if (text === "") continue;
		const mark = isOrdered ? `${number}. ` : "- ";
		items.push(isItem ? mark + indented(text, mark.length) : `  ${indented(text, 2)}`);
		if (isItem) number++;
	}
	return items.join("\n");
}

/** Items of one paragraph, with lists below it, stay close together. */
function itemText(item: PageElement, holders: Holders): string {
	const blocks = blocksOf(item, holders);
	return blocks.reduce((text, block) => `${text}${/^(?:- |\d+\. )/.test(block) ? "\n" : "\n\n"}${block}`.trim(), "");
}

function codeBlock(element: PageElement): string {
	const text = (element.textContent ?? "").replace(/^\n|\s+$/g, "");
	const classes = `${element.querySelector("code")?.getAttribute("class") ?? ""} ${element.getAttribute("class") ?? ""}`;
	const language = /\b(?:language|lang|highlight-source)-([\w+#-]{1,32})/.exec(classes)?.[1] ?? "";
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	return text === "" ? "" : `${fence}${language}\n${text}\n${fence}`;
}

function indented(text: string, width: number): string {
	return text.replace(/\n(?!\n)/g, `\n${" ".repeat(width)}`);
}

function prefixed(text: string, prefix: string): string {
	return text === "" ? "" : text.replace(/^/gm, prefix).replace(/[ \t]+$/gm, "");
}
