/** Makes JSON of what models write for it. What stands inside of strings is never changed, and nothing is made up for what is missing. */

/** The text as valid JSON of an object, or why there is none. */
export type RepairedJson =
	| { readonly ok: true; readonly text: string }
	/** `isCut`: the text ends before its object does. */
	| { readonly ok: false; readonly isCut: boolean };

/**
 * Takes away what stands around the object (a code fence, closing brackets too many) and commas before a closing bracket,
 * and writes literals of Python and control characters as JSON does.
 */
export function repairJson(sent: string): RepairedJson {
	if (sent.trim() === "") return { ok: true, text: "{}" };
	if (isObject(sent)) return { ok: true, text: sent };
	const scanned = scan(withoutFence(sent.trim()));
	if (scanned === "cut") return { ok: false, isCut: true };
	return scanned !== "wrong" && isObject(scanned) ? { ok: true, text: scanned } : { ok: false, isCut: false };
}

function isObject(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value);
	} catch {
		return false;
	}
}

function withoutFence(text: string): string {
	return /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text)?.[1] ?? text;
}

/** A string to its end, a word, white space, or one character of another kind. */
const token = /"(?:[^"\\]|\\[\s\S])*("?)|[A-Za-z]+|\s+|[\s\S]/g;

const literals: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
const openers: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** What was read so far. */
interface Scanned {
	readonly parts: string[];
	/** Closing brackets that are still to come, the next one last. */
	readonly expected: string[];
}

/** One step a token; `"cut"` when brackets or a string are open at the end. */
function scan(text: string): string | "cut" | "wrong" {
	const scanned: Scanned = { parts: [], expected: [] };
	for (const [part, end] of text.matchAll(token)) {
		if (part.startsWith('"') && end !== '"') return "cut";
		const isWhole = scanned.expected.length === 0 && scanned.parts.some((read) => read.trim() !== "");
		if (isWhole ? !isLeftover(part) : !take(part, scanned)) return "wrong";
	}
	return scanned.expected.length > 0 ? "cut" : scanned.parts.join("");
}

/** What models put behind a whole object: brackets too many. */
function isLeftover(part: string): boolean {
	return /^[\s\]}]*$/.test(part);
}

/** False when brackets do not match. */
function take(part: string, { parts, expected }: Scanned): boolean {
	if (part === "}" || part === "]") {
		if (expected.pop() !== part) return false;
		dropComma(parts);
	}
	const closer = part === "{" || part === "[" ? openers[part] : undefined;
	if (closer !== undefined) expected.push(closer);
	parts.push(asJson(part));
	return true;
}

function dropComma(parts: string[]): void {
	const last = parts.findLastIndex((part) => part.trim() !== "");
	if (parts[last] === ",") parts.splice(last, 1);
}

function asJson(part: string): string {
	// A line end in a string means the same character when it is escaped.
	if (part.startsWith('"')) return part.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
	return Object.hasOwn(literals, part) ? (literals[part] ?? part) : part;
}
