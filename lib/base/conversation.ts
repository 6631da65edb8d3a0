/** The messages of a conversation, in the shape of the chat-completions format that every provider wire maps to and from. */

/** One request of the model to call a tool. `arguments` is the JSON text exactly as the model sent it. */
export interface ToolCall {
	readonly id: string;
	readonly name: string;
	readonly arguments: string;
}

export interface SystemMessage {
	readonly role: "system";
	readonly content: string;
}

export interface UserMessage {
	readonly role: "user";
	readonly content: string;
}

export interface AssistantMessage {
	readonly role: "assistant";
	/** Empty when the turn holds tool calls only. */
	readonly content: string;
	readonly toolCalls: readonly ToolCall[];
	readonly reasoning?: string;
	readonly finishReason?: string;
}

export interface ToolMessage {
	readonly role: "tool";
	readonly toolCallId: string;
	readonly toolName: string;
	/** The tool's JSON string. */
	readonly content: string;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** What one model call used, in tokens. */
export interface TokenUsage {
	readonly inputTokens: number;
	readonly outputTokens: number;
	readonly cacheReadTokens: number;
	readonly cacheWriteTokens: number;
	readonly reasoningTokens: number;
}
