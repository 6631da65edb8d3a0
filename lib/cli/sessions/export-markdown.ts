/** A session as Markdown. */

import { imageText } from "../../images/image-text.ts";
import { imagesIn } from "../../store/message-row.ts";
import { contentText, toolCallsOf } from "../../store/search/message-text.ts";
import type { ExportedSession } from "../../store/store.ts";
import { isoTime } from "./shown.ts";

type Row = ExportedSession["messages"][number];

/** Headings by who spoke; calls and results in fences. What was taken back is left out. */
export function markdownSession({ session, messages }: ExportedSession): string {
	const facts = [
		`- id: ${session.id}`,
		`- source: ${session.source}`,
		...(session.model ? [`- model: ${session.model}`] : []),
		...(session.cwd ? [`- folder: ${session.cwd}`] : []),
		`- started: ${isoTime(Number(session.started_at))}`,
	];
	const title = String(session.title ?? `Session ${session.id}`);
	const said = messages.filter(({ active }) => active !== 0).map(messageText);
	return `# ${title}\n\n${facts.join("\n")}\n\n${said.filter((text) => text !== "").join("\n\n")}\n\n`;
}

function messageText(row: Row): string {
	const content = contentText(textOf(row.content));
	if (row.role === "tool") return `### Result of ${textOf(row.tool_name) ?? "a tool"}\n\n${fenced(content)}`;
	const heading = `## ${textOf(row.role)?.replace(/^./, (letter) => letter.toUpperCase())}`;
	const calls = toolCallsOf(textOf(row.tool_calls)).map(
		({ name, arguments: args }) => `Calls \`${name}\`:\n\n${fenced(args)}`,
	);
	const images = imagesIn(textOf(row.extra)).map(imageText);
	return [heading, ...images, ...(content === "" ? [] : [content]), ...calls].join("\n\n");
}

/** A fence that is longer than every one inside. */
function fenced(text: string): string {
	const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
	const fence = "`".repeat(longest + 1);
	return `${fence}\n${text}\n${fence}`;
}

function textOf(value: Row[string] | undefined): string | null {
	return typeof value === "string" ? value : null;
}
