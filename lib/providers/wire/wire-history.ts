/** A copy of the conversation that every service accepts: calls and results pair, and nobody speaks twice in a row. */

import type { AssistantMessage, JsonValue, Message, ToolMessage, UserMessage } from "../../base/conversation.ts";
import { imageText, withImageTexts } from "../../images/image-text.ts";
import type { ModelRequest } from "../provider.ts";

/** Stands for the result of a call that was never answered; services refuse a call without one. */
const unanswered = '{"error":"There is no result: the call was not run"}';

/** What was said, and the images in it that can be sent. */
export type Said = Pick<ModelRequest, "messages" | "images">;

/**
 * The conversation itself is never changed. Of an image that nobody gave the bytes of its name is left. Results without a call
 * and answers that say nothing are left out, calls without a result get one, and messages of one speaker in a row become one.
 */
export function wireHistory({ messages, images }: Said): Message[] {
	const paired: Message[] = [];
	for (const [index, given] of messages.entries()) {
		const message = withImageTexts(given, (image) => (images?.has(image.sha256) ? undefined : imageText(image)));
		if (message.role === "tool") continue;
		if (message.role === "assistant" && isSilent(message)) continue;
		paired.push(message);
		if (message.role === "assistant") paired.push(...resultsOf(message, resultsAfter(messages, index)));
	}
	return mergeSpeakers(paired);
}

/** A history for wires whose instructions do not stand among the messages: the system messages at its beginning, and the rest. */
export function withHead(history: readonly Message[]): {
	readonly head: readonly Message[];
	readonly rest: readonly Message[];
} {
	const spoken = history.findIndex(({ role }) => role !== "system");
	return spoken < 0 ? { head: history, rest: [] } : { head: history.slice(0, spoken), rest: history.slice(spoken) };
}

/** An image of a message, ready for a wire. */
export interface WireImage {
	readonly mediaType: string;
	/** Base64 of the bytes. */
	readonly data: string;
}

/** The images of one message of a `wireHistory`, in order. */
export function wireImages(message: UserMessage, images: Said["images"]): readonly WireImage[] {
	return (message.images ?? []).flatMap(({ sha256, mediaType }) => {
		const data = images?.get(sha256);
		return data === undefined ? [] : [{ mediaType, data }];
	});
}

/** An image as an address that holds all of it. */
export function dataUrl({ mediaType, data }: WireImage): string {
	return `data:${mediaType};base64,${data}`;
}

/** Whether `text` is the JSON of an object, which the arguments of a past call have to be (#15236). */
export function isJsonObject(text: string): boolean {
	return jsonObject(text) !== undefined;
}

/** The object that `text` is the JSON of. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Those of `values` that have fields, each of JSON. */
export function jsonRecords(values: readonly JsonValue[]): Readonly<Record<string, JsonValue>>[] {
	return values.filter(isJsonRecord);
}

function isJsonRecord(value: JsonValue): value is { readonly [key: string]: JsonValue } {
	return isRecord(value);
}

/** Whether `value` has fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reasoning alone says nothing to the next model, and servers refuse a message without content. */
function isSilent({ content, toolCalls }: AssistantMessage): boolean {
	return content.trim() === "" && toolCalls.length === 0;
}

function resultsAfter(messages: readonly Message[], index: number): ToolMessage[] {
	const results: ToolMessage[] = [];
	for (const message of messages.slice(index + 1)) {
		if (message.role !== "tool") break;
		results.push(message);
	}
	return results;
}

/** In the order of the calls, one for each. */
function resultsOf({ toolCalls }: AssistantMessage, results: ToolMessage[]): ToolMessage[] {
	return toolCalls.map(({ id, name }) => {
		const at = results.findIndex(({ toolCallId }) => toolCallId === id);
		const [found] = at < 0 ? [] : results.splice(at, 1);
		return found ?? { role: "tool", toolCallId: id, toolName: name, content: unanswered };
	});
}

/**
 * A turn that failed before its answer leaves two user messages in a row, and two runs of hermes in one session two answers, which
 * some servers refuse.
 */
function mergeSpeakers(messages: readonly Message[]): Message[] {
	const merged: Message[] = [];
	for (const message of messages) {
		const last = merged.at(-1);
		if (message.role === "user" && last?.role === "user") {
			merged[merged.length - 1] = mergedQuestions(last, message);
		} else if (message.role === "assistant" && last?.role === "assistant") {
			merged[merged.length - 1] = mergedAnswers(last, message);
		} else {
			merged.push(message);
		}
	}
	return merged;
}

function mergedQuestions(first: UserMessage, second: UserMessage): UserMessage {
	const images = [...(first.images ?? []), ...(second.images ?? [])];
	return {
		role: "user",
		content: `${first.content}\n\n${second.content}`,
		...(images.length > 0 && { images }),
	};
}

/** What the provider keeps beside an answer is about that answer alone. */
function mergedAnswers(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
	const content = [first.content, second.content].filter((text) => text.trim() !== "").join("\n\n");
	return { role: "assistant", content, toolCalls: second.toolCalls };
}
