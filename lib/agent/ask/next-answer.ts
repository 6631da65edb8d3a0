/** The next answer of the model that can be used. */

import type { AssistantMessage } from "../../base/conversation.ts";
import { ProviderRefused } from "../../providers/provider.ts";
import type { Conversation } from "../conversation.ts";
import type { Turn } from "../turn.ts";
import { type Ask, askModel, useAnotherModel } from "./ask-model.ts";
import { answerRules, type Verdict } from "./judge-answer.ts";

/** An answer, and what it is. */
export type NextAnswer =
	/** With calls or a text. */
	| { readonly is: "whole"; readonly message: AssistantMessage }
	/** A text that has to go on. */
	| { readonly is: "cut"; readonly message: AssistantMessage }
	/** The model had nothing to add to what it said before. */
	| { readonly is: "said_before"; readonly text: string };

/**
 * Asks until there is something to work with; nothing is added to the conversation for it.
 * @throws {ProviderRefused} When there is no answer to be had.
 * @throws {SpendingLimitReached} When the next call must not be made.
 */
export async function nextAnswer(conversation: Conversation, turn: Turn): Promise<NextAnswer> {
	let ask: Ask = {};
	for (;;) {
		const message = await askModel(conversation, turn, ask);
		const judged = await judge(conversation, turn, { message, ask });
		if ("is" in judged) return judged;
		ask = judged;
	}
}

interface Given {
	readonly message: AssistantMessage;
	readonly ask: Ask;
}

/** What the answer is, or what is asked next. */
async function judge(conversation: Conversation, turn: Turn, given: Given): Promise<NextAnswer | Ask> {
	const { message, ask } = given;
	const facts = {
		message,
		before: conversation.messages.at(-1),
		counts: turn.counts,
		saidBefore: turn.saidBefore,
		outputLimit: ask.maxOutputTokens ?? conversation.options.limits?.maxOutputTokens,
	};
	for (const rule of answerRules) {
		const verdict = rule.judge(facts);
		if (verdict === undefined) continue;
		const done = await follow(conversation, turn, { ...given, verdict, rule: rule.name });
		if (done !== undefined) return done;
	}
	throw new ProviderRefused("unreadable", "The model gave no answer that can be used");
}

interface Judged extends Given {
	readonly verdict: Verdict;
	readonly rule: string;
}

/** Undefined when there is no such way. */
async function follow(
	conversation: Conversation,
	turn: Turn,
	{ message, ask, verdict, rule }: Judged,
): Promise<NextAnswer | Ask | undefined> {
	switch (verdict.way) {
		case "accept":
			return { is: "whole", message };
		case "continue":
			return { is: "cut", message };
		case "use_earlier":
			return { is: "said_before", text: verdict.text };
		case "fail":
			throw new ProviderRefused(verdict.kind, verdict.message);
		case "ask_again":
			turn.counts[verdict.counts]++;
			turn.emit({ type: "status", message: `The answer cannot be used (${rule}); the model is asked again` });
			return {
				...(verdict.nudge !== undefined && { nudge: verdict.nudge }),
				...(verdict.outputLimit === undefined ? limitOf(ask) : { maxOutputTokens: verdict.outputLimit }),
			};
		case "another_model": {
			turn.counts.withheld++;
			const why = new ProviderRefused("unreadable", `There was no usable answer (${rule})`);
			return (await useAnotherModel(conversation, turn, why)) ? {} : undefined;
		}
	}
}

function limitOf({ maxOutputTokens }: Ask): Ask {
	return maxOutputTokens === undefined ? {} : { maxOutputTokens };
}
