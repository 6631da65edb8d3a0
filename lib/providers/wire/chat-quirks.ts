/** In what a service departs from the chat-completions wire as OpenAI describes it. */

import type { ModelRequest } from "../provider.ts";

/** All of it may be left out. */
export interface ChatQuirks {
	/** The field that limits the answer; `max_tokens` when left out. */
	readonly outputLimit?: "max_tokens" | "max_completion_tokens";
	/** Most tokens of an answer that may be asked for. */
	readonly mostOutputTokens?: number;
	/** Further fields of the body, after all others: how the service is told to think, what it is to be told besides. */
	extraBody?(request: ModelRequest): Readonly<Record<string, unknown>>;
	/** Whether the system prompt is said by the developer (OpenAI's newer models). */
	developerRole?(model: string): boolean;
	/** Whether past answers with calls have to carry `reasoning_content`; a blank stands for one that is not known (#15748). */
	echoesReasoning?(model: string): boolean;
	/** Whether the service takes marks of Anthropic's cache for `model`. */
	marksCache?(model: string): boolean;
	/** Asks for the tokens of a streamed answer; some servers refuse the field. True when left out. */
	readonly asksUsage?: boolean;
}
