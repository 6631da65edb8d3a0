/** The one way out of a turn: leaves a conversation that can go on, and tells how the turn ended. */

import { failedEditsWarning } from "./calls/failed-edits.ts";
import type { Conversation } from "./conversation.ts";
import type { TurnFinished } from "./events.ts";
import type { Turn } from "./turn.ts";

/** How a turn ended. */
export interface Ending extends Pick<TurnFinished, "ended" | "error" | "reason"> {
	readonly text?: string;
}

/** Never throws for the store: a turn that cannot be written has failed. */
export function finishTurn(conversation: Conversation, { tally, failedEdits }: Turn, ending: Ending): TurnFinished {
	const { emit, cwd } = conversation.options;
	const { ended, text = "", error, reason } = closeCalls(conversation, ending);
	const steer = conversation.steering.take();
	const { routes } = conversation;
	const unchanged = failedEdits.paths();
	const warning = failedEditsWarning(unchanged, cwd);
	// A turn that was broken off makes no claim.
	if (warning !== undefined && (ended === "answered" || ended === "max_turns"))
		emit({ type: "warning", message: warning });
	const event: TurnFinished = {
		type: "turn_finished",
		session_id: conversation.sessionId,
		ended,
		text,
		...(error !== undefined && { error }),
		...(ended === "failed" && reason !== undefined && { reason }),
		model_calls: tally.modelCalls,
		denied_calls: tally.deniedCalls,
		usage: tally.usage,
		...(unchanged.length > 0 && { failed_edits: unchanged }),
		...(tally.promptTokens !== undefined && { context_tokens: tally.promptTokens }),
		...(tally.costMicroUsd && { cost_usd: tally.costMicroUsd / 1_000_000 }),
		// Who interrupts has changed their mind about that too.
		...(steer !== undefined && ended !== "interrupted" && { pending_steer: steer }),
		...(routes.isFallback && { answered_by: { provider: routes.current.providerId, model: routes.current.model } }),
	};
	emit(event);
	return event;
}

function closeCalls(conversation: Conversation, ending: Ending): Ending {
	try {
		const who = ending.ended === "interrupted" ? "the user interrupted the turn" : "the turn ended";
		conversation.answerOpenCalls(`Not run: ${who} before this call began`);
		return ending;
	} catch (cause) {
		if (ending.error !== undefined) return ending;
		return { ended: "failed", reason: "internal", error: cause instanceof Error ? cause.message : String(cause) };
	}
}
