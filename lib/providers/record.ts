/** Writes what a model answers to a cassette, so that a live run can be played again offline. */

import { appendFileSync, closeSync, fchmodSync, fstatSync, openSync } from "node:fs";
import type { AssistantMessage, Message, TokenUsage, ToolMessage } from "../base/conversation.ts";
import { field, hasError, lastToolResults } from "./cassette/expectation.ts";
import { type ModelClient, ProviderRefused, type RawAnswer } from "./provider.ts";

/** A file with this end of its name keeps answers word for word, so that they are read by their wire again when played. */
const rawEnding = ".raw.jsonl";

/**
 * A client that answers as `client` does and appends every finished turn to a new file at `path` (0600).
 * @throws {ProviderRefused} When the file holds something already or cannot be written.
 */
export function recordTo(path: string, client: ModelClient): ModelClient {
	startFile(path);
	let main: string | undefined;
	/** The first conversation needs no mark; others may answer between its turns. */
	const trackOf = (messages: readonly Message[]) => {
		const first = messages.find(({ role }) => role === "user")?.content ?? "";
		main ??= first;
		return first === main || first === "" ? {} : { for: first.slice(0, trackLength) };
	};
	return {
		async *complete(request, signal) {
			let raw: RawAnswer | undefined;
			const onRaw = (answer: RawAnswer) => {
				raw = answer;
			};
			const asked = path.endsWith(rawEnding) ? { ...request, onRaw } : request;
			for await (const chunk of client.complete(asked, signal)) {
				// Before the chunk is handed on: the consumer may never come back for more.
				if (chunk.type === "finished")
					append(path, lineFor(chunk, { messages: request.messages, raw, track: trackOf(request.messages) }));
				yield chunk;
			}
		},
	};
}

/** Marks turns of another conversation than the first; see the tape. */
type Track = { readonly for?: string };

/** Characters that tell one conversation from another. */
const trackLength = 200;

function startFile(path: string): void {
	let file: number | undefined;
	try {
		file = openSync(path, "a", 0o600);
		if (fstatSync(file).size > 0)
			throw new ProviderRefused("tape", `Cannot record to "${path}": it holds something already; name a new file`);
		fchmodSync(file, 0o600);
	} catch (cause) {
		throw refusal(path, cause);
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

function append(path: string, line: string): void {
	try {
		appendFileSync(path, `${line}\n`, { mode: 0o600 });
	} catch (cause) {
		throw refusal(path, cause);
	}
}

function refusal(path: string, cause: unknown): ProviderRefused {
	if (cause instanceof ProviderRefused) return cause;
	const state = cause instanceof Error ? cause.message : String(cause);
	return new ProviderRefused("tape", `Cannot record to "${path}": ${state}`, { cause });
}

function lineFor(
	chunk: { message: AssistantMessage; usage?: TokenUsage },
	{
		messages,
		raw,
		track,
	}: { readonly messages: readonly Message[]; readonly raw: RawAnswer | undefined; readonly track: Track },
): string {
	if (raw === undefined) return lineOf(chunk, messages, track);
	const expect = lastToolResults(messages).map(expectationOf);
	const { wire, provider, contentType, body } = raw;
	return JSON.stringify({
		...track,
		...(expect.length === 0 ? {} : { expect }),
		verbatim: true,
		raw: { wire, provider, content_type: contentType, body },
	});
}

function lineOf(
	chunk: { message: AssistantMessage; usage?: TokenUsage },
	messages: readonly Message[],
	track: Track,
): string {
	const { content, reasoning, toolCalls, finishReason } = chunk.message;
	const expect = lastToolResults(messages).map(expectationOf);
	const turn = {
		...track,
		...(expect.length === 0 ? {} : { expect }),
		...(reasoning === undefined ? {} : { reasoning }),
		...(content === "" && toolCalls.length > 0 ? {} : { text: content }),
		...(toolCalls.length === 0
			? {}
			: { tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({ id, name, arguments: argumentsOf(text) })) }),
		...(finishReason === undefined ? {} : { finish_reason: finishReason }),
		...(chunk.usage === undefined ? {} : { usage: usageOf(chunk.usage) }),
	};
	const text = JSON.stringify(turn);
	return text.includes("{{") ? JSON.stringify({ verbatim: true, ...turn }) : text;
}

/** What will be the same on another machine: that a call failed or not, and with which code. */
function expectationOf({ toolName, content }: ToolMessage) {
	const result = parse(content);
	const code = field(result, "exit_code");
	return { tool: toolName, ...(Number.isInteger(code) ? { exit_code: code } : { error: hasError(result) }) };
}

/** An object is easier to read and edit; what is no object stays the text it was. */
function argumentsOf(text: string): unknown {
	const value = parse(text);
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value : text;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function usageOf(usage: TokenUsage) {
	return {
		input_tokens: usage.inputTokens,
		output_tokens: usage.outputTokens,
		cache_read_tokens: usage.cacheReadTokens,
		cache_write_tokens: usage.cacheWriteTokens,
		reasoning_tokens: usage.reasoningTokens,
	};
}
