/** Plain text out of pages, without what a person would not see. */

/** Zero-width and bidirectional controls, and the tag characters: they hide text from people and show it to models. */
const invisible = /[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
/** Pictures inside of a page are long and say nothing as text. */
const dataAddress = /data:[a-z]+\/[\w.+-]+;base64,[A-Za-z0-9+/=%\s]{64,}/gi;

/** Takes invisible characters and inlined pictures out, and more than one empty line. */
export function tidyText(text: string): string {
	return text
		.replace(invisible, "")
		.replace(dataAddress, "(data)")
		.replace(/\r\n?/g, "\n")
		.replace(/[ \t]+$/gm, "")
		.replace(/\n{3,}/g, "\n\n")
		.trim();
}

/** HTML without scripts, styles and comments. Takes time linear in its length, as everything here does. */
export function stripUnseen(html: string): string {
	return html.replace(/<!--[\s\S]*?(?:-->|$)/g, " ").replace(unseenElement, " ");
}

const unseenElement = /<(script|style|noscript|template|svg)(?![\w-])[\s\S]*?(?:<\/\1\s*>|$)/gi;

/** The text of HTML that is too deep or too broken for a parser: tags out, nothing understood. */
export function stripTags(html: string): string {
	const lines = stripUnseen(html).replace(/<(?:br|p|div|li|tr|h[1-6])(?![\w-])[^<>]*>/gi, "\n");
	return tidyText(decodeEntities(lines.replace(/<\/?[a-z!][^<>]*>/gi, " ").replace(/[ \t]{2,}/g, " ")));
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The few entities that services leave in titles and descriptions. */
export function decodeEntities(text: string): string {
	return text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi, (found, name: string) => {
		if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? found;
		const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
		return code <= 0x10ffff ? String.fromCodePoint(code) : found;
	});
}
