/** Our messages and tools in the shape of the Gemini wire. */

import type { Content, FunctionDeclaration, Part } from "@google/genai";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../base/conversation.ts";
import type { ToolDefinition } from "../provider.ts";
import { isRecord, jsonObject, jsonRecords, type Said, wireHistory, wireImages, withHead } from "./wire-history.ts";

/** What a conversation becomes. */
export interface GeminiConversation {
	readonly system: string;
	readonly contents: Content[];
}

/** A copy for the wire; parts with thought signatures go back only to the provider that made them. */
export function geminiConversation(said: Said, provider: string): GeminiConversation {
	const { head, rest } = withHead(wireHistory(said));
	return {
		system: head.map(({ content }) => content.toWellFormed()).join("\n\n"),
		contents: mergeRoles(
			rest.map((message) =>
				message.role === "user" ? wireQuestion(message, said.images) : wireContent(message, provider),
			),
		),
	};
}

/** The tools of one request. */
export function geminiTools(tools: readonly ToolDefinition[]): FunctionDeclaration[] {
	return tools.map(({ name, description, parameters }) => ({
		name,
		description,
		parametersJsonSchema: { ...parameters },
	}));
}

/** Images stand before what is asked about them. */
function wireQuestion(message: UserMessage, images: Said["images"]): Content {
	const shown = wireImages(message, images).map(({ mediaType: mimeType, data }) => ({
		inlineData: { mimeType, data },
	}));
	const isSilent = shown.length > 0 && message.content.trim() === "";
	return { role: "user", parts: [...shown, ...(isSilent ? [] : [{ text: message.content.toWellFormed() }])] };
}

function wireContent(message: Exclude<Message, UserMessage>, provider: string): Content {
	switch (message.role) {
		case "assistant":
			return { role: "model", parts: answerParts(message, provider) };
		case "tool":
			return { role: "user", parts: [resultPart(message)] };
		default:
			return { role: "user", parts: [{ text: message.content.toWellFormed() }] };
	}
}

/** The service wants an object: what is none is put into one. */
function resultPart({ toolCallId, toolName, content }: ToolMessage): Part {
	const response = jsonObject(content) ?? { output: content.toWellFormed() };
	return { functionResponse: { id: toolCallId, name: toolName, response: { ...response } } };
}

function answerParts(message: AssistantMessage, provider: string): Part[] {
	const { replay, content, toolCalls } = message;
	const own = replay?.provider === provider ? jsonRecords(replay.geminiParts ?? []) : undefined;
	if (own !== undefined && own.length > 0 && sameCalls(own, message)) return own.map(withoutNulls);
	return [
		...(content.trim() === "" ? [] : [{ text: content.toWellFormed() }]),
		...toolCalls.map(({ id, name, arguments: text }) => ({
			functionCall: { id, name, args: { ...(jsonObject(text) ?? {}) } },
		})),
	];
}

function sameCalls(parts: readonly Readonly<Record<string, unknown>>[], { toolCalls }: AssistantMessage): boolean {
	const calls = parts.flatMap(({ functionCall }) => (isRecord(functionCall) ? [functionCall] : []));
	return calls.length === toolCalls.length && calls.every(({ name }, at) => toolCalls[at]?.name === name);
}

/** What is stored is JSON; a part of the wire has no null in it. */
function withoutNulls(part: Readonly<Record<string, unknown>>): Part {
	return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null));
}

function mergeRoles(contents: readonly Content[]): Content[] {
	const merged: Content[] = [];
	for (const content of contents) {
		const last = merged.at(-1);
		if (last?.role === content.role) {
			merged[merged.length - 1] = { ...last, parts: [...(last?.parts ?? []), ...(content.parts ?? [])] };
		} else {
			merged.push(content);
		}
	}
	return merged;
}
