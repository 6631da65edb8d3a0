/** The messages of a conversation, in the shape of the chat-completions format that every provider wire maps to and from. */

/** Anything that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** One request of the model to call a tool. `arguments` is the JSON text exactly as the model sent it. */
export interface ToolCall {
	readonly id: string;
	readonly name: string;
	readonly arguments: string;
	/** What the provider put beside the call and wants back unchanged (thought signatures of Gemini). */
	readonly extra?: JsonValue;
}

/** What the model is told before anything is asked. */
export interface SystemMessage {
	readonly role: "system";
	readonly content: string;
	/** Characters at its beginning that are the same in other conversations: a cache may be told to keep them apart from the rest. */
	readonly stable?: number;
}

/** Kinds of images that every provider with vision reads. */
export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** An image of a message. Its bytes are a file in the user's home (`lib/images`), named after their hash; a message holds none. */
export interface MessageImage {
	/** Of the bytes; lower-case hexadecimal. */
	readonly sha256: string;
	readonly mediaType: ImageMediaType;
	readonly bytes: number;
	/** Pixels. */
	readonly width: number;
	readonly height: number;
	/** What the user calls it; a file's name without its folder. */
	readonly name?: string;
}

/** What the user said. */
export interface UserMessage {
	readonly role: "user";
	readonly content: string;
	/** Shown to the model before the text, in this order. */
	readonly images?: readonly MessageImage[];
	/** Not a person: `harness` is what the loop says to go on, `summary` stands for messages that were compressed. */
	readonly origin?: "harness" | "summary";
}

/** What the model said, and the calls it wants made. */
export interface AssistantMessage {
	readonly role: "assistant";
	/** Empty when the turn holds tool calls only. */
	readonly content: string;
	readonly toolCalls: readonly ToolCall[];
	readonly reasoning?: string;
	readonly finishReason?: string;
	readonly replay?: Replay;
}

/**
 * Parts of an answer that only its own provider can read: kept in the store and sent back to it as they came, in their order.
 * Another provider never gets them.
 */
export interface Replay {
	/** The provider that made them; its id. */
	readonly provider: string;
	/** Chat completions: `reasoning_content` as it came, also when it is empty. */
	readonly reasoningContent?: string;
	/** Chat completions of OpenRouter: `reasoning_details`. */
	readonly reasoningDetails?: readonly JsonValue[];
	/** Responses: the items of the answer in order, those of type `reasoning` with their encrypted content. */
	readonly reasoningItems?: readonly JsonValue[];
	/** Responses: items of type `message`, with their ids and phases, where `reasoningItems` has none. */
	readonly messageItems?: readonly JsonValue[];
	/** Anthropic messages: all blocks of the answer, in order, with their signatures. */
	readonly anthropicBlocks?: readonly JsonValue[];
	/** Gemini: all parts of the answer, in order, with their thought signatures. */
	readonly geminiParts?: readonly JsonValue[];
}

/** What came of one call. */
export interface ToolMessage {
	readonly role: "tool";
	readonly toolCallId: string;
	readonly toolName: string;
	/** The tool's JSON string. */
	readonly content: string;
}

/** One message; `role` tells which. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** What one model call used, in tokens. */
export interface TokenUsage {
	readonly inputTokens: number;
	readonly outputTokens: number;
	readonly cacheReadTokens: number;
	readonly cacheWriteTokens: number;
	readonly reasoningTokens: number;
}
