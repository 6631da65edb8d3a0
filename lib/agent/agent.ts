/** One conversation with a model that may call tools: the loop that every surface drives. */

import type { Message, ToolCall } from "../base/conversation.ts";
import type { ModelClient, ToolDefinition } from "../providers/provider.ts";
import type { Store } from "../store/store.ts";
import { openConversation } from "./conversation.ts";
import type { AgentEvent, TurnFinished } from "./events.ts";
import { runTurn } from "./turn.ts";

/** What came of one tool call. `answer` is the tool's JSON string. */
export interface ToolOutcome {
	readonly answer: string;
	readonly isError: boolean;
	/** Refused for want of approval. */
	readonly denied: boolean;
	readonly durationMs: number;
}

/** What a running tool call is given. */
export interface ToolRun {
	/** Aborted when the user interrupts the turn. */
	readonly signal: AbortSignal;
	/** Live output, as it arrives. */
	onOutput(text: string): void;
}

/** Runs one tool call; failures of the tool are answers, not exceptions. */
export type RunTool = (call: ToolCall, run: ToolRun) => Promise<ToolOutcome>;

/** Everything an agent is made of. It knows no tool, no backend and no provider by name. */
export interface AgentOptions {
	readonly client: ModelClient;
	readonly model: string;
	readonly providerId: string;
	readonly systemPrompt: string;
	readonly tools: readonly ToolDefinition[];
	readonly runTool: RunTool;
	/** Where messages go as they happen; its session must exist already. Left out: nothing is kept. */
	readonly store?: Pick<Store, "appendMessage" | "addUsage">;
	readonly sessionId: string;
	readonly cwd: string;
	readonly ranOn: string;
	/** Model calls that one turn may make. */
	readonly maxTurns: number;
	/** What was said before in this conversation; it is not written again. */
	readonly history?: readonly Message[];
	emit(event: AgentEvent): void;
}

/** One conversation. Turns run one at a time. */
export interface Agent {
	/** Answers `text`. Never rejects for what the model, a tool or the store does: see `ended`. */
	runTurn(text: string, signal: AbortSignal): Promise<TurnFinished>;
	/** The conversation so far, without the system prompt. */
	readonly messages: readonly Message[];
}

/** An agent at the start of its conversation, or after `history`. */
export function createAgent(options: AgentOptions): Agent {
	const conversation = openConversation(options);
	let announced = false;
	return {
		messages: conversation.messages,
		runTurn(text, signal) {
			if (!announced) options.emit(sessionStarted(options));
			announced = true;
			return runTurn(conversation, text, signal);
		},
	};
}

function sessionStarted({ sessionId, providerId, model, cwd, ranOn, tools }: AgentOptions): AgentEvent {
	return {
		type: "session_started",
		session_id: sessionId,
		provider: providerId,
		model,
		cwd,
		ran_on: ranOn,
		tools: tools.map(({ name }) => name),
	};
}
