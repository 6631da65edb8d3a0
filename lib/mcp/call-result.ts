/** What a tool of an MCP server answered, as the model reads it. */

import { isDeepStrictEqual } from "node:util";
import { attempt } from "../base/attempt.ts";
import { type ToolAnswer, toolError, toolResult } from "../registry/tool.ts";
import { withoutSecrets } from "./failure.ts";
import { bytesOf, type SaveMedia } from "./media.ts";
import { type Block, block, type CallResult, type ResourceContent } from "./wire.ts";

/** Characters of one answer; what is longer than the budget of results goes to a file, but not without end. */
const longestText = 10_000_000;
/** Files that one answer may bring. */
const mostFiles = 50;
/** Texts longer than this are not compared with what they may repeat. */
const longestCompared = 1_000_000;

/** Texts are joined; bytes are saved and named with their path, or with their kind and size where they cannot be. */
export async function answerOf({ content, isError, ...result }: CallResult, save?: SaveMedia): Promise<ToolAnswer> {
	const keep = save && atMost(mostFiles, save);
	const text = bounded((await Promise.all(content.map((each) => textOf(each, keep)))).join("\n"));
	const structuredContent = readable(result.structuredContent);
	if (isError) return toolError(text === "" ? "the tool failed and did not say why" : withoutSecrets(text));
	if (structuredContent === undefined || structuredContent === null || isOnly(text, structuredContent)) {
		return toolResult({ result: text });
	}
	return text === "" || repeats(text, structuredContent)
		? toolResult({ result: structuredContent })
		: toolResult({ result: text, structuredContent });
}

function atMost(most: number, save: SaveMedia): SaveMedia {
	let count = 0;
	return async (media) => (++count > most ? undefined : await save(media));
}

/** What is nested so deeply that nothing can write it down is left out, and takes no text with it. */
function readable(structured: unknown): unknown {
	const written = attempt(() => JSON.stringify(structured));
	return written.ok ? structured : "[structured content that is nested too deeply]";
}

/** The content of a resource, as a tool answers it: bytes become a note of their size. */
export function resourceText({ uri, text, blob, mimeType }: ResourceContent): string {
	if (text !== undefined) return text;
	return blob === undefined ? `[resource ${uri} is empty]` : `[resource ${uri}: ${sizeOf(blob, mimeType)}]`;
}

/** One block of content in words; one that we do not know is named with its kind. */
export async function textOf(content: unknown, save?: SaveMedia): Promise<string> {
	const parsed = block.safeParse(content);
	return parsed.success ? await blockText(parsed.data, save) : `[${kindOf(content)}: content that cannot be shown]`;
}

async function blockText(content: Block, save: SaveMedia | undefined): Promise<string> {
	switch (content.type) {
		case "text":
			return content.text;
		case "image":
		case "audio": {
			const { data, mimeType } = content;
			const path = await save?.({ base64: data, mimeType });
			return path === undefined ? `[${content.type}: ${sizeOf(data, mimeType)}]` : `MEDIA:${path}`;
		}
		case "resource_link":
			return `[resource ${content.uri}${content.name === undefined ? "" : `: ${content.name}`}]`;
		case "resource": {
			const { blob, mimeType = "application/octet-stream" } = content.resource;
			const path = blob === undefined ? undefined : await save?.({ base64: blob, mimeType });
			return path === undefined ? resourceText(content.resource) : `MEDIA:${path}`;
		}
	}
}

function sizeOf(base64: string, mimeType = "bytes of an unknown kind"): string {
	return `${mimeType}, ${bytesOf(base64)} bytes`;
}

function kindOf(content: unknown): string {
	const isTyped = typeof content === "object" && content !== null && "type" in content;
	return isTyped && typeof content.type === "string" ? content.type.slice(0, 40) : "unknown";
}

function bounded(text: string): string {
	if (text.length <= longestText) return text;
	return `${text.slice(0, longestText)}\n[${text.length - longestText} characters more were left out]`;
}

/** Text that was put into an object, because structured content has to be one. */
function isOnly(text: string, structured: unknown): boolean {
	if (typeof structured !== "object" || structured === null) return false;
	const values = Object.values(structured);
	return values.length === 1 && values[0] === text;
}

/** The protocol asks servers to say structured content once more as text; a model need not pay for it twice. */
function repeats(text: string, structured: unknown): boolean {
	if (text.length > longestCompared) return false;
	const parsed = attempt((): unknown => JSON.parse(text));
	return parsed.ok && isDeepStrictEqual(parsed.value, structured);
}
