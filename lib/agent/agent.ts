/** One conversation with a model that may call tools: the loop that every surface drives. */

import type { Message, MessageImage, ToolCall } from "../base/conversation.ts";
import type { ReasoningEffort, ToolDefinition } from "../providers/provider.ts";
import type { LoopTraits } from "../registry/tool.ts";
import type { Store } from "../store/store.ts";
import type { PriceOf } from "./ask/account.ts";
import type { Images } from "./ask/sent-images.ts";
import type { Budget } from "./budget.ts";
import type { GuardrailSettings } from "./calls/guardrails.ts";
import type { Clock } from "./clock.ts";
import { type Compress, compressNow } from "./compress.ts";
import { openConversation } from "./conversation.ts";
import type { AgentEvent, TurnFinished } from "./events.ts";
import type { FallbackModel, ModelRoute } from "./routes.ts";
import type { Spending } from "./spending.ts";
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
	/** What a sub-agent may spend from; see `Budget.child`. */
	readonly budget: Budget;
	/** Live output, as it arrives. */
	onOutput(text: string): void;
}

/** Runs one tool call; failures of the tool are answers, not exceptions. */
export type RunTool = (call: ToolCall, run: ToolRun) => Promise<ToolOutcome>;

/** What the loop must know of a call before it runs. */
export interface CallTraits extends LoopTraits {
	/** Changes nothing anywhere. */
	readonly readOnly?: boolean;
	/** Absolute paths that the call may change; a folder ends in a slash. */
	readonly changes?: readonly string[];
}

/** Numbers that bound a conversation. What is left out has the value that is named. */
export interface AgentLimits {
	/** Tries of a model call that fails for a passing reason; 3. */
	readonly attempts?: number;
	/** Tokens one answer may have; the model's own limit. */
	readonly maxOutputTokens?: number;
	/** A turn in which nothing happens for so long is ended; never. */
	readonly idleMs?: number;
	/** Calls of one message that run at the same time; 8. */
	readonly parallelCalls?: number;
}

/** Everything an agent is made of. It knows no tool, no backend and no provider by name. */
export interface AgentOptions extends ModelRoute {
	readonly systemPrompt: string;
	readonly tools: readonly ToolDefinition[];
	readonly runTool: RunTool;
	/** What is known of a call; without it calls run one after the other. */
	traitsOf?(call: ToolCall): CallTraits | undefined;
	/** Whether a tool of this name can be called, when `tools` does not list them all. */
	knowsTool?(name: string): boolean;
	/** Where messages go as they happen; its session must exist already. Left out: nothing is kept. */
	readonly store?: Pick<Store, "appendMessage" | "addUsage">;
	readonly sessionId: string;
	readonly cwd: string;
	readonly ranOn: string;
	/** Model calls that one turn may make. */
	readonly maxTurns: number;
	/** Makes the budget of a turn, for an agent that spends from another one's. */
	openBudget?(): Budget;
	readonly limits?: AgentLimits;
	/** What was spent, by this conversation and others that share its limits. */
	readonly spending?: Spending;
	/** What a call cost, when the provider does not say. */
	readonly priceOf?: PriceOf;
	/** Models to ask, in order, when the one before cannot answer. */
	readonly fallbacks?: readonly FallbackModel[];
	readonly guardrails?: GuardrailSettings;
	readonly compress?: Compress;
	readonly effort?: ReasoningEffort;
	/** Left out: of images a model gets the names. Shared by all agents of a session. */
	readonly images?: Images;
	/** Sent before the conversation in each request, and never a part of it. */
	readonly prefill?: readonly Message[];
	/** What was said before in this conversation; it is not written again. */
	readonly history?: readonly Message[];
	readonly clock?: Clock;
	emit(event: AgentEvent): void;
}

/** One conversation. Turns run one at a time. */
export interface Agent {
	/**
	 * Answers `text`, to which `images` belong; they are kept already (`keepImage`). Never rejects for what the model, a tool or the
	 * store does: see `ended`.
	 */
	runTurn(text: string, signal: AbortSignal, images?: readonly MessageImage[]): Promise<TurnFinished>;
	/**
	 * Gives `text` to the model at the end of the next tool result. False when no turn runs or the text says nothing; what no
	 * tool result came for is `pending_steer` of the turn, and an interrupt drops it.
	 */
	steer(text: string): boolean;
	/**
	 * Shortens the conversation between two turns; `focus` is what must be kept above all. False when there is nothing to shorten.
	 * @throws {Error} When it cannot be done; nothing has changed then.
	 */
	compress(focus: string | undefined, signal: AbortSignal): Promise<boolean>;
	/** The conversation so far, without the system prompt. */
	readonly messages: readonly Message[];
	/** Another one after a compression. */
	readonly sessionId: string;
	/** The same. */
	readonly systemPrompt: string;
}

/** An agent at the start of its conversation, or after `history`. */
export function createAgent(options: AgentOptions): Agent {
	const conversation = openConversation(options);
	let announced = false;
	let running = false;
	return {
		get messages() {
			return conversation.messages;
		},
		get sessionId() {
			return conversation.sessionId;
		},
		get systemPrompt() {
			return conversation.systemPrompt;
		},
		async runTurn(text, signal, images = []) {
			if (!announced) options.emit(sessionStarted(options));
			announced = true;
			running = true;
			try {
				return await runTurn(conversation, { text, images }, signal);
			} finally {
				running = false;
			}
		},
		compress: (focus, signal) => compressNow(conversation, focus, signal),
		steer: (text) => running && conversation.steering.add(text),
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
