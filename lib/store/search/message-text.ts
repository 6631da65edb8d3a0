/** What a person reads of a stored message. */

/** The columns that hold text. */
export interface TextColumns {
	readonly content: string | null;
	readonly tool_name: string | null;
	readonly tool_calls: string | null;
}

/** Content in parts is stored as JSON behind this mark. */
const partsMark = "\0json:";

/** The content as text: of parts those that are text, `[image]` for pictures. */
export function contentText(content: string | null): string {
	if (content === null || !content.startsWith(partsMark)) return content ?? "";
	const parts = parsed(content.slice(partsMark.length));
	return (Array.isArray(parts) ? parts : [parts]).map(partText).filter(Boolean).join("\n");
}

/** Content, name of the tool and the calls with their arguments: all that a search looks at. */
export function messageText({ content, tool_name, tool_calls }: TextColumns): string {
	return [contentText(content), tool_name ?? "", callsText(tool_calls)].filter((text) => text !== "").join(" ");
}

/** `terminal {"command":"ls"}` for each call. */
function callsText(calls: string | null): string {
	const list = calls === null ? [] : parsed(calls);
	if (!Array.isArray(list)) return calls ?? "";
	return list
		.map((call: unknown) => {
			const inner = fieldOf(call, "function");
			return `${textOf(fieldOf(inner, "name"))} ${textOf(fieldOf(inner, "arguments"))}`.trim();
		})
		.join(" ");
}

function partText(part: unknown): string {
	if (typeof part === "string") return part;
	const text = fieldOf(part, "text");
	if (typeof text === "string") return text;
	return String(fieldOf(part, "type") ?? "").includes("image") ? "[image]" : "";
}

function fieldOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null
		? Object.entries(value).find(([key]) => key === name)?.[1]
		: undefined;
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
