/** The messages of a conversation, in the shape of the chat-completions format that every provider wire maps to and from. */

/** One request of the model to call a tool. `arguments` is the JSON text exactly as the model sent it. */
export interface ToolCall {
	readonly id: string;
	readonly name: string;
	readonly arguments: string;
}

/** What the model is told before anything is asked. */
export interface SystemMessage {
	readonly role: "system";
	readonly content: string;
}

/** What the user said. */
export interface UserMessage {
	readonly role: "user";
	readonly content: string;
}

/** What the model said, and the calls it wants made. */
export interface AssistantMessage {
	readonly role: "assistant";
	/** Empty when the turn holds tool calls only. */
	readonly content: string;
	readonly toolCalls: readonly ToolCall[];
	readonly reasoning?: string;
	readonly finishReason?: string;
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
