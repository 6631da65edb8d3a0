/** What a tool of an MCP server answered, as the model reads it. */

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { type ToolAnswer, toolError, toolResult } from "../registry/tool.ts";

type Block = CallToolResult["content"][number];

/** Texts are joined; whatever is no text is named with its kind and size. */
export function answerOf({ content, structuredContent, isError }: CallToolResult): ToolAnswer {
	const text = content.map(textOf).join("\n");
	if (isError) return toolError(text || "the tool failed and did not say why");
	if (structuredContent === undefined) return toolResult({ result: text });
	return text === "" ? toolResult({ result: structuredContent }) : toolResult({ result: text, structuredContent });
}

function textOf(block: Block): string {
	switch (block.type) {
		case "text":
			return block.text;
		case "image":
		case "audio":
			return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes]`;
		case "resource_link":
			return `[resource ${block.uri}: ${block.name}]`;
		case "resource": {
			const { resource } = block;
			return "text" in resource ? resource.text : `[resource ${resource.uri}, ${bytesOf(resource.blob)} bytes]`;
		}
	}
}

/** Of what base64 stands for. */
function bytesOf(base64: string): number {
	return Buffer.byteLength(base64, "base64");
}
