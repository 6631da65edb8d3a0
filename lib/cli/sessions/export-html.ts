/** Sessions as one web page that needs nothing else. */

import { imageText } from "../../images/image-text.ts";
import { imagesIn } from "../../store/message-row.ts";
import { contentText, toolCallsOf } from "../../store/search/message-text.ts";
import type { ExportedSession } from "../../store/store.ts";
import { isoTime } from "./shown.ts";

type Row = ExportedSession["messages"][number];

/** Everything before the first session. No script, and nothing is fetched. */
export const htmlStart = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Sessions of hermes</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
article { border-left: 3px solid #8888; padding: 0 1rem; margin: 1rem 0 }
article.user { border-color: #27c }
article.assistant { border-color: #2a6 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.9em }
.said { white-space: pre-wrap; overflow-wrap: anywhere }
small, summary { color: #888 }
</style>
`;

/** Everything behind the last one. */
export const htmlEnd = "</html>\n";

/** One session. What was taken back is left out. */
export function htmlSession({ session, messages }: ExportedSession): string {
	const started = isoTime(Number(session.started_at));
	const facts = [session.id, session.source, session.model, session.cwd, started].filter((fact) => fact !== null);
	const title = String(session.title ?? `Session ${session.id}`);
	const said = messages.filter(({ active }) => active !== 0).map(messageHtml);
	return `<section>\n<h1>${Bun.escapeHTML(title)}</h1>\n<small>${Bun.escapeHTML(facts.join(" · "))}</small>\n${said.join("")}</section>\n`;
}

function messageHtml(row: Row): string {
	const role = String(row.role);
	const content = contentText(textOf(row.content));
	const images = imagesIn(textOf(row.extra)).map(imageText);
	const body =
		role === "tool"
			? folded(`Result of ${textOf(row.tool_name) ?? "a tool"}`, content)
			: `<div class="said">${Bun.escapeHTML([...images, content].join("\n"))}</div>`;
	const calls = toolCallsOf(textOf(row.tool_calls)).map(({ name, arguments: args }) => folded(`Calls ${name}`, args));
	return `<article class="${Bun.escapeHTML(role)}"><small>${Bun.escapeHTML(role)}</small>${body}${calls.join("")}</article>\n`;
}

function folded(summary: string, text: string): string {
	return `<details><summary>${Bun.escapeHTML(summary)}</summary><pre>${Bun.escapeHTML(text)}</pre></details>`;
}

function textOf(value: Row[string] | undefined): string | null {
	return typeof value === "string" ? value : null;
}
