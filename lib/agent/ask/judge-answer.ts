/** Whether an answer can be used as it is, and what is done when it says nothing or was cut: an ordered list. */

import type { AssistantMessage, Message } from "../../base/conversation.ts";
import { isEmpty } from "../conversation.ts";

/** What was tried in this turn because of answers that could not be used. */
export interface AnswerCounts {
	/** The model was reminded that the results of its tools want an answer. */
	reminders: number;
	/** It was told that thinking alone is no answer. */
	thoughts: number;
	/** It was asked the same again. */
	repeats: number;
	/** A larger answer was allowed. */
	raises: number;
	/** It was asked to go on where it was cut. */
	continuations: number;
	/** Another model was asked because of what this one withheld. */
	withheld: number;
}

/** An answer and what came before it. */
export interface AnswerFacts {
	readonly message: AssistantMessage;
	readonly before: Message | undefined;
	readonly counts: Readonly<AnswerCounts>;
	/** What the model said beside calls that only keep its records, in the step before. */
	readonly saidBefore: string | undefined;
	/** Tokens that the answer was allowed, when the user limits them. */
	readonly outputLimit: number | undefined;
}

/** What is done with an answer. What is not there (another model) leaves it to the next rule. */
export type Verdict =
	| { readonly way: "accept" }
	| {
			readonly way: "ask_again";
			readonly counts: keyof AnswerCounts;
			readonly nudge?: string;
			readonly outputLimit?: number;
	  }
	| { readonly way: "continue" }
	| { readonly way: "another_model" }
	| { readonly way: "use_earlier"; readonly text: string }
	| { readonly way: "fail"; readonly kind: "content_blocked" | "unreadable"; readonly message: string };

/** One entry of the list. */
export interface AnswerRule {
	readonly name: string;
	/** Undefined when it is not about such an answer. */
	judge(facts: AnswerFacts): Verdict | undefined;
}

const mostContinuations = 3;
const mostRaises = 3;
const mostThoughts = 2;
const mostRepeats = 3;
/** Beyond this a longer answer is not worth waiting for. */
const largestRaise = 32_768;

/** Read from the top; the last one fits everything. */
export const answerRules: readonly AnswerRule[] = [
	{
		name: "withheld",
		judge({ message, counts }) {
			if (message.finishReason !== "content_filter" || !isEmpty(message)) return undefined;
			return counts.withheld === 0 ? { way: "another_model" } : withheld;
		},
	},
	{
		name: "withheld by all",
		judge: ({ message }) => (message.finishReason === "content_filter" && isEmpty(message) ? withheld : undefined),
	},
	{
		name: "cut while calling",
		judge({ message, counts, outputLimit }) {
			if (message.finishReason !== "length" || message.toolCalls.length === 0) return undefined;
			if (outputLimit === undefined || outputLimit >= largestRaise || counts.raises >= mostRaises) return undefined;
			return { way: "ask_again", counts: "raises", outputLimit: Math.min(outputLimit * 2, largestRaise) };
		},
	},
	{ name: "calls", judge: ({ message }) => (message.toolCalls.length > 0 ? { way: "accept" } : undefined) },
	{
		name: "cut while thinking",
		judge({ message }) {
			if (message.finishReason !== "length" || !isEmpty(message)) return undefined;
			return {
				way: "fail",
				kind: "unreadable",
				message:
					"The model used up its whole answer before it said anything; lower agent.reasoning_effort or raise model.max_tokens",
			};
		},
	},
	{
		name: "cut",
		judge: ({ message: { finishReason }, counts }) =>
			(finishReason === "length" || finishReason === "failed") && counts.continuations < mostContinuations
				? { way: "continue" }
				: undefined,
	},
	{ name: "text", judge: ({ message }) => (isEmpty(message) ? undefined : { way: "accept" }) },
	{
		name: "said before its records",
		judge: ({ saidBefore }) => (saidBefore === undefined ? undefined : { way: "use_earlier", text: saidBefore }),
	},
	{
		name: "nothing after tools",
		judge: ({ before, counts }) =>
			before?.role === "tool" && counts.reminders === 0
				? {
						way: "ask_again",
						counts: "reminders",
						nudge: "You have the results of your tools but said nothing. Go on with the task, or answer now.",
					}
				: undefined,
	},
	{
		name: "only thought",
		judge: ({ message, counts }) =>
			message.reasoning !== undefined && counts.thoughts < mostThoughts
				? {
						way: "ask_again",
						counts: "thoughts",
						nudge: "You thought about it but gave no answer. Say your answer, or call a tool.",
					}
				: undefined,
	},
	{
		name: "nothing",
		judge: ({ counts }) => (counts.repeats < mostRepeats ? { way: "ask_again", counts: "repeats" } : undefined),
	},
	{ name: "nothing from this model", judge: () => ({ way: "another_model" }) },
	{
		name: "nothing at all",
		judge: () => ({
			way: "fail",
			kind: "unreadable",
			message: "The model answered with nothing, also when asked again; ask in other words or use another model",
		}),
	},
];

const withheld: Verdict = {
	way: "fail",
	kind: "content_blocked",
	message: "The provider's content filter withheld the answer; ask in other words or use another model",
};
