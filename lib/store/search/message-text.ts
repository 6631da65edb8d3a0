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

/** The calls in the column `tool_calls`; none when it cannot be read. */
export function toolCallsOf(column: string | null): readonly { readonly name: string; readonly arguments: string }[] {
	const list = column === null ? [] : parsed(column);
	if (!Array.isArray(list)) return [];
	return list.map((call: unknown) => {
		const inner = fieldOf(call, "function");
		return { name: textOf(fieldOf(inner, "name")), arguments: textOf(fieldOf(inner, "arguments")) };
	});
}

/** `terminal {"command":"ls"}` for each call. */
function callsText(calls: string | null): string {
	const list = toolCallsOf(calls);
	if (list.length === 0) return calls ?? "";
	return list.map(({ name, arguments: args }) => `${name} ${args}`).join(" ");
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
