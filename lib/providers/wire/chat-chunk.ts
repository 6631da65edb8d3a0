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
});

/** A piece of a message, or a whole one from a server that does not stream. */
const delta = z.object({
	content: text,
	reasoning_content: text,
	reasoning: text,
	tool_calls: z.array(toolCallDelta).nullish(),
});

const usage = z.object({
	prompt_tokens: count,
	completion_tokens: count,
	prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
	completion_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
});

/** Throws for what is no chunk at all; unknown fields are dropped. */
export const chatChunk = z.object({
	choices: z.array(z.object({ delta: delta.nullish(), message: delta.nullish(), finish_reason: text })).nullish(),
	usage: usage.nullish(),
});

/** A chunk as parsed. */
export type ChatChunk = z.output<typeof chatChunk>;
/** One piece of a tool call. */
export type ToolCallDelta = z.output<typeof toolCallDelta>;
/** The token counts of one call, as the server names them. */
export type WireUsage = z.output<typeof usage>;
