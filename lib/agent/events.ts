/** What an agent says while it works: one union that every surface (terminal, stream-json, API, editor) lives on. */

import type { TokenUsage } from "../base/conversation.ts";

/** Keys are snake_case because `--output stream-json` prints these objects as they are, one a line. */
export type AgentEvent =
	| {
			readonly type: "session_started";
			readonly session_id: string;
			readonly provider: string;
			readonly model: string;
			readonly cwd: string;
			readonly ran_on: string;
			readonly tools: readonly string[];
	  }
	| { readonly type: "text_delta"; readonly text: string }
	| { readonly type: "reasoning_delta"; readonly text: string }
	/** The whole text of one model turn, after its deltas. */
	| {
			readonly type: "assistant_message";
			readonly text: string;
			readonly tool_calls: number;
			/** The text was cut off, in the middle of a word perhaps; the next message goes on where it ended. */
			readonly continues?: true;
	  }
	| { readonly type: "tool_started"; readonly id: string; readonly name: string; readonly arguments: string }
	/** Live output of a running command. */
	| { readonly type: "tool_output"; readonly id: string; readonly text: string }
	| {
			readonly type: "tool_finished";
			readonly id: string;
			readonly name: string;
			/** The tool's JSON string, as the model gets it. */
			readonly result: string;
			readonly is_error: boolean;
			readonly denied: boolean;
			readonly duration_ms: number;
	  }
	/** A model call failed and is made again. */
	| {
			readonly type: "retry";
			/** What is done about it: a name from the list of recoveries. */
			readonly recovery: string;
			/** A kind of refusal. */
			readonly kind: string;
			/** What went wrong, in one line. */
			readonly message: string;
			/** Calls of this model that have failed in a row. */
			readonly failed: number;
			/** How long is waited before. */
			readonly wait_ms: number;
	  }
	/** Another model answers from here on, until the next turn. */
	| {
			readonly type: "fallback";
			readonly from_provider: string;
			readonly from_model: string;
			readonly provider: string;
			readonly model: string;
			/** What was wrong with the one before, in one line. */
			readonly message: string;
	  }
	/** What the user said meanwhile has reached the model. */
	| { readonly type: "steer"; readonly text: string }
	/** Earlier messages were put together so that the conversation fits the model. */
	| {
			readonly type: "compressed";
			/** The session that goes on from here. */
			readonly session_id: string;
			readonly messages_before: number;
			readonly messages_after: number;
	  }
	/** A sub-agent goes on. Those in the background are told of between turns too. */
	| {
			readonly type: "subagent";
			/** `text` is what it has said beside its calls, or its report. */
			readonly event: "started" | "tool" | "text" | "finished";
			readonly delegation_id: string;
			readonly subagent_id: string;
			/** The sub-agent that handed out the task, when it was one. */
			readonly parent_id?: string;
			/** How many agents stand above it. */
			readonly depth: number;
			readonly task_index: number;
			readonly task_count: number;
			/** The first line of its task. */
			readonly goal: string;
			readonly model: string;
			/** Missing until it has one. */
			readonly session_id?: string;
			/** Of `tool`. */
			readonly tool?: string;
			/** Of `text`. */
			readonly text?: string;
			readonly status: string;
			readonly model_calls: number;
			readonly tool_calls: number;
			readonly duration_ms: number;
	  }
	/** Something that explains what is going on now. */
	| { readonly type: "status"; readonly message: string }
	| { readonly type: "warning"; readonly message: string }
	| {
			readonly type: "turn_finished";
			readonly session_id: string;
			readonly ended: "answered" | "max_turns" | "interrupted" | "failed";
			/** The final text; after `max_turns` what the model reports of its work. Else empty. */
			readonly text: string;
			/** One line, only when `failed`. */
			readonly error?: string;
			/** Only when `failed`: a kind of refusal, `cost_limit`, `token_limit`, `idle`, `tool_loop` or `internal`. */
			readonly reason?: string;
			readonly model_calls: number;
			/** Calls that were denied for want of approval. */
			readonly denied_calls: number;
			/** Files whose last edit in this turn failed, absolute; missing when there are none. */
			readonly failed_edits?: readonly string[];
			readonly usage: TokenUsage;
			/** Tokens of the last request, as the provider counted them. */
			readonly context_tokens?: number;
			/** US dollars, when the price of every call was known. */
			readonly cost_usd?: number;
			/** What the user said meanwhile and the model was not given. */
			readonly pending_steer?: string;
			/** Who answered last, when that was not the model that was chosen. */
			readonly answered_by?: { readonly provider: string; readonly model: string };
	  };

/** How a turn ended. */
export type TurnFinished = Extract<AgentEvent, { type: "turn_finished" }>;
