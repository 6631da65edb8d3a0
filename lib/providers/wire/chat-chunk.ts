/** One streamed chunk of a chat completion, as lenient as the servers in use are different. */

import { z } from "zod";

const text = z.string().nullish();
const count = z.number().nullish();

const toolCallDelta = z.object({
	index: z.number().nullish(),
	id: text,
	function: z
		.object({ name: text, arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish() })
		.nullish(),
	/** Gemini puts thought signatures here. */
	extra_content: z.json().nullish(),
});

/** Some servers send a list of blocks where a text is meant. */
const content = z
	.union([z.string(), z.array(z.union([z.string(), z.looseObject({ type: text, text })]))])
	.nullish()
	.transform((value) =>
		Array.isArray(value) ? value.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("") : value,
	);

/** A piece of a message, or a whole one from a server that does not stream. */
const delta = z.object({
	content,
	refusal: text,
	reasoning_content: text,
	reasoning: text,
	reasoning_details: z.array(z.record(z.string(), z.json())).nullish(),
	tool_calls: z.array(toolCallDelta).nullish(),
});

const usage = z.object({
	prompt_tokens: count,
	completion_tokens: count,
	prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish(),
	completion_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
	/** DeepSeek. */
	prompt_cache_hit_tokens: count,
	/** Proxies that pass on what Anthropic says. */
	cache_read_input_tokens: count,
	cache_creation_input_tokens: count,
	/** OpenRouter: US dollars. */
	cost: count,
});

/** Throws for what is no chunk at all; unknown fields are dropped. */
export const chatChunk = z.object({
	choices: z.array(z.object({ delta: delta.nullish(), message: delta.nullish(), finish_reason: text })).nullish(),
	usage: usage.nullish(),
	/** An error in the place of an answer, under status 200. */
	error: z.unknown().optional(),
});

/** A chunk as parsed. */
export type ChatChunk = z.output<typeof chatChunk>;
/** A piece of a message. */
export type ChatDelta = z.output<typeof delta>;
/** One piece of a tool call. */
export type ToolCallDelta = z.output<typeof toolCallDelta>;
/** The token counts of one call, as the server names them. */
export type WireUsage = z.output<typeof usage>;
/** One piece of what OpenRouter keeps of a model's reasoning. */
export type ReasoningDetail = Readonly<Record<string, z.core.util.JSONType>>;
