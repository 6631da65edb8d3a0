/** Makes old messages shorter without asking a model: results of tools become a line, long arguments lose their middle. */

import type { JsonValue, Message, ToolCall, ToolMessage } from "../../base/conversation.ts";
import { steeringIn } from "../steer.ts";
import { shortened } from "./shorten.ts";

/** A shorter text is not worth it. */
const shortEnough = 200;
const longestCommand = 80;

/** Which messages are old: from `from` on, and before `to`. */
export interface OldPart {
	readonly from: number;
	readonly to: number;
}

/**
 * `messages` with the old part of them shortened. Of equal long results only the newest stays, also behind the old part; what
 * stands before it is left alone. What the user said in a result stays everywhere.
 */
export function prunedMessages(messages: readonly Message[], old: OldPart): readonly Message[] {
	const calls = new Map(messages.flatMap((message) => callsOf(message).map((call) => [call.id, call])));
	const newest = newestOfEqual(messages);
	return messages.map((message, index) => {
		if (index < old.from) return message;
		const isOld = index < old.to;
		if (message.role === "assistant" && isOld) return { ...message, toolCalls: message.toolCalls.map(shortCall) };
		if (message.role !== "tool" || isShort(message)) return message;
		if (newest.get(equalKey(message)) !== index) return replaced(message, repeatedNote);
		return isOld ? replaced(message, outcomeLine(calls.get(message.toolCallId), message)) : message;
	});
}

function callsOf(message: Message): readonly ToolCall[] {
	return message.role === "assistant" ? message.toolCalls : [];
}

const repeatedNote = JSON.stringify({ note: "The same result stands further down in this conversation" });

function isShort({ content }: ToolMessage): boolean {
	return content.length < shortEnough;
}

function equalKey({ toolName, content }: ToolMessage): string {
	return `${toolName}\n${content}`;
}

function newestOfEqual(messages: readonly Message[]): ReadonlyMap<string, number> {
	const newest = new Map<string, number>();
	for (const [index, message] of messages.entries()) {
		if (message.role === "tool" && !isShort(message)) newest.set(equalKey(message), index);
	}
	return newest;
}

function replaced(message: ToolMessage, line: string): ToolMessage {
	const steering = steeringIn(message.content);
	return { ...message, content: steering === undefined ? line : `${line}\n\n${steering}` };
}

/** What was called, and what came of it. */
function outcomeLine(call: ToolCall | undefined, { toolName, content }: ToolMessage): string {
	const args = fieldsOf(call?.arguments ?? "");
	const result = fieldsOf(content);
	const targets = ["command", "path", "file_path", "pattern", "query", "url"].flatMap((name) => {
		const value = args.get(name);
		return typeof value === "string" ? [`${name} ${JSON.stringify(shortened(value, longestCommand))}`] : [];
	});
	const numbers = ["offset", "limit", "exit_code", "total_lines", "count", "total", "matches"].flatMap((name) => {
		const value = args.get(name) ?? result.get(name);
		return typeof value === "number" ? [`${name} ${value}`] : [];
	});
	const error = result.get("error");
	const failed = typeof error === "string" ? [`error ${JSON.stringify(shortened(error, longestCommand))}`] : [];
	const size = `${content.split("\\n").length} lines, ${content.length} characters`;
	const said = [...targets, ...numbers, ...failed].join(", ");
	return JSON.stringify({ note: `Earlier result of ${toolName}${said === "" ? "" : ` (${said})`}: ${size}, left out` });
}

function fieldsOf(json: string): ReadonlyMap<string, unknown> {
	try {
		const value: unknown = JSON.parse(json);
		return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
	} catch {
		return new Map();
	}
}

/** Inside the parsed value: cut JSON would be no JSON (#11762). */
function shortCall(call: ToolCall): ToolCall {
	if (call.arguments.length < shortEnough) return call;
	try {
		const value: JsonValue = JSON.parse(call.arguments);
		return { ...call, arguments: JSON.stringify(shortLeaves(value)) };
	} catch {
		return call;
	}
}

function shortLeaves(value: JsonValue): JsonValue {
	if (typeof value === "string") return shortened(value, shortEnough);
	if (typeof value !== "object" || value === null) return value;
	if (isList(value)) return value.map(shortLeaves);
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortLeaves(item)]));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
	return Array.isArray(value);
}
