/** Just enough of XML for office documents: a walk over tags and text, in their order. */

/** A tag or a text. Names are without their namespace. */
export type XmlPart =
	| { readonly kind: "open" | "close"; readonly name: string; attribute(name: string): string | undefined }
	| { readonly kind: "text"; readonly text: string };

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Every part of `xml`; an empty element opens and closes. Comments and declarations are left out, damage is passed over. */
export function* xmlParts(xml: string): Generator<XmlPart> {
	const pattern =
		/<!\[CDATA\[(.*?)\]\]>|<!--.*?-->|<[?!][^>]*>|<(\/?)([^\s/>]+)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/gs;
	for (const [, data, slash, qualified, attributes = "", empty, text] of xml.matchAll(pattern)) {
		if (data !== undefined) yield { kind: "text", text: data };
		if (text !== undefined) yield { kind: "text", text: decodeEntities(text) };
		if (qualified === undefined) continue;
		const tag = { name: localName(qualified), attribute: (name: string) => attributeOf(attributes, name) };
		if (slash !== "/") yield { kind: "open", ...tag };
		if (slash === "/" || empty === "/") yield { kind: "close", ...tag };
	}
}

function attributeOf(attributes: string, wanted: string): string | undefined {
	for (const [, name = "", , double, single] of attributes.matchAll(/([^\s=]+)\s*=\s*("([^"]*)"|'([^']*)')/g)) {
		if (name === wanted || localName(name) === wanted) return decodeEntities(double ?? single ?? "");
	}
	return undefined;
}

function localName(qualified: string): string {
	return qualified.slice(qualified.indexOf(":") + 1);
}

function decodeEntities(text: string): string {
	return text.replace(/&(#x?)?(\w+);/gi, (whole, mark: string | undefined, name: string) => {
		if (mark === undefined) return entities[name] ?? whole;
		const code = Number.parseInt(name, mark.length === 2 ? 16 : 10);
		return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
	});
}
