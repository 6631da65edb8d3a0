/** The model's next message, with everything that is done when a call fails. */

import type { AssistantMessage } from "../../base/conversation.ts";
import type { ProviderRefused } from "../../providers/provider.ts";
import { knownTools } from "../calls/known-tools.ts";
import { repairCalls } from "../calls/repair-calls.ts";
import { compressConversation } from "../compress.ts";
import type { Conversation } from "../conversation.ts";
import { requireWithinLimits } from "../spending.ts";
import type { Turn } from "../turn.ts";
import { account } from "./account.ts";
import { type Action, type Attempts, noAttempts, passingKinds, recoveries } from "./recoveries.ts";
import { hasImages, isSeen, nameOf } from "./sent-images.ts";
import { keepShown, type RequestShape, streamAnswer } from "./stream-answer.ts";

/** How the request differs from the usual one; recoveries add to it. */
export type Ask = Pick<RequestShape, "nudge" | "maxOutputTokens" | "withoutTools">;

const defaultAttempts = 3;
const imagesRefused = "The provider refused the images: from now on this model gets their names";

/**
 * The next message, accounted for and with its calls put right, but not yet part of the conversation. One whose
 * `finishReason` is `failed` was broken off after a part of it had been shown.
 * @throws {ProviderRefused} When nothing helps; text that was shown until then is kept.
 * @throws {SpendingLimitReached} When the call must not be made.
 */
export async function askModel(conversation: Conversation, turn: Turn, ask: Ask = {}): Promise<AssistantMessage> {
	const state: AskState = { attempts: noAttempts(), ask };
	// A summary costs money as well.
	requireWithinLimits(conversation.spending);
	await compressConversation(conversation, turn, { why: "check" });
	for (;;) {
		turn.signal.throwIfAborted();
		requireWithinLimits(conversation.spending);
		const { withoutReplay, plainSchemas } = state.attempts;
		const streamed = await streamAnswer(conversation, turn, { ...state.ask, withoutReplay, plainSchemas });
		if ("finished" in streamed) {
			account(conversation, turn, streamed.finished);
			// It helped: a long turn in a small window needs it again and again.
			turn.counts.compressions = 0;
			return repairCalls(streamed.finished.message, knownTools(conversation));
		}
		const { refused, shown } = streamed;
		if (shown.trim() !== "") {
			if (passingKinds.includes(refused.kind)) return brokenOff(shown);
			keepShown(conversation, shown, "failed");
			throw refused;
		}
		state.attempts.failed++;
		if (!(await recover(conversation, turn, { state, refused }))) throw refused;
	}
}

interface AskState {
	attempts: Attempts;
	ask: Ask;
}

interface Failure {
	readonly state: AskState;
	readonly refused: ProviderRefused;
}

function brokenOff(shown: string): AssistantMessage {
	return { role: "assistant", content: shown, toolCalls: [], finishReason: "failed" };
}

/** Takes the first way on that is there; false when none is. */
async function recover(conversation: Conversation, turn: Turn, failure: Failure): Promise<boolean> {
	const { refused, state } = failure;
	const situation = {
		refused,
		attempts: state.attempts,
		mostAttempts: conversation.options.limits?.attempts ?? defaultAttempts,
		random: conversation.clock.random(),
	};
	for (const { name, kinds, decide } of recoveries) {
		if (!kinds.includes(refused.kind)) continue;
		const action = decide(situation);
		if (action === undefined) continue;
		const { failed } = state.attempts;
		const announce = () =>
			turn.emit({
				type: "retry",
				recovery: name,
				kind: refused.kind,
				message: refused.message,
				failed,
				wait_ms: action.do === "wait" ? action.waitMs : 0,
			});
		if (await perform(conversation, turn, { ...failure, action, announce })) return true;
	}
	return false;
}

interface Performance extends Failure {
	readonly action: Action;
	announce(): void;
}

/** False when there is no such way. */
async function perform(conversation: Conversation, turn: Turn, performance: Performance): Promise<boolean> {
	const { action, state, refused, announce } = performance;
	const { attempts } = state;
	const { contextTokens } = refused.hints;
	switch (action.do) {
		case "rotate_key":
			attempts.rotations++;
			if (!((await conversation.routes.current.rotateKey?.(refused, turn.signal)) ?? false)) return false;
			break;
		case "without_replay":
			attempts.withoutReplay = true;
			break;
		case "without_images":
			attempts.withoutImages = true;
			if (!isSeen(conversation) || !hasImages(conversation.messages)) return false;
			conversation.options.images?.refusedBy(conversation.routes.current);
			conversation.sight.told.add(nameOf(conversation.routes.current));
			turn.emit({ type: "warning", message: imagesRefused });
			break;
		case "plain_schemas":
			attempts.plainSchemas = true;
			break;
		case "limit_output":
			attempts.outputFitted = true;
			state.ask = { ...state.ask, maxOutputTokens: action.tokens };
			break;
		case "compress": {
			const why =
				refused.kind === "payload_too_large" || refused.kind === "long_context_limit"
					? refused.kind
					: "context_overflow";
			if (!(await compressConversation(conversation, turn, { why, contextTokens }))) return false;
			break;
		}
		case "another_model":
			return await askAnother(conversation, turn, performance);
		case "wait": {
			announce();
			using _ = turn.activity.pause();
			await conversation.clock.sleep(action.waitMs, turn.signal);
			return true;
		}
	}
	announce();
	return true;
}

async function askAnother(conversation: Conversation, turn: Turn, { state, refused }: Failure): Promise<boolean> {
	if (!(await useAnotherModel(conversation, turn, refused))) return false;
	state.attempts = noAttempts();
	return true;
}

/** Goes on to the next model; false when there is none. */
export async function useAnotherModel(
	conversation: Conversation,
	turn: Turn,
	refused: ProviderRefused,
): Promise<boolean> {
	const { routes } = conversation;
	const before = routes.current;
	const route = await routes.next(refused, turn.signal);
	if (route === undefined) return false;
	turn.emit({
		type: "fallback",
		from_provider: before.providerId,
		from_model: before.model,
		provider: route.providerId,
		model: route.model,
		message: refused.message,
	});
	return true;
}
