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
	| { readonly type: "assistant_message"; readonly text: string; readonly tool_calls: number }
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
	| { readonly type: "warning"; readonly message: string }
	| {
			readonly type: "turn_finished";
			readonly session_id: string;
			readonly ended: "answered" | "max_turns" | "interrupted" | "failed";
			/** The final text; empty unless `answered`. */
			readonly text: string;
			/** One line, only when `failed`. */
			readonly error?: string;
			readonly model_calls: number;
			/** Calls that were denied for want of approval. */
			readonly denied_calls: number;
			readonly usage: TokenUsage;
	  };

/** How a turn ended. */
export type TurnFinished = Extract<AgentEvent, { type: "turn_finished" }>;
