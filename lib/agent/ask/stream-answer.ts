/** One request to a model: shows what arrives, and gives the whole message or why there is none. */

import { firstAborted, itemsUntilAborted } from "../../base/abort.ts";
import { createBreather } from "../../base/breather.ts";
import type { Message } from "../../base/conversation.ts";
import { type ModelRequest, ProviderRefused } from "../../providers/provider.ts";
import type { Conversation } from "../conversation.ts";
import { stableLength } from "../prompt/system-prompt.ts";
import type { Turn } from "../turn.ts";
import type { FinishedAnswer } from "./account.ts";
import { plainSchemas } from "./plain-schemas.ts";
import { hasImages, isSeen, nameOf, sentImages } from "./sent-images.ts";

/** How this request differs from the usual one. */
export interface RequestShape {
	/** Said to the model in this request only, after everything else. */
	readonly nudge?: string | undefined;
	readonly maxOutputTokens?: number | undefined;
	/** Nothing is sent back of what only the provider can read. */
	readonly withoutReplay?: boolean | undefined;
	/** Tools in simpler words. */
	readonly plainSchemas?: boolean | undefined;
	/** The answer must be words. */
	readonly withoutTools?: boolean | undefined;
}

/** A refusal, and the text that was shown before it. */
export interface Refused {
	readonly refused: ProviderRefused;
	readonly shown: string;
}

/** What came of a request. @throws {unknown} The signal's reason when it aborts; what was shown is kept then. */
export async function streamAnswer(
	conversation: Conversation,
	turn: Turn,
	shape: RequestShape,
): Promise<{ readonly finished: FinishedAnswer } | Refused> {
	const { client, model } = conversation.routes.current;
	turn.tally.modelCalls++;
	using run = firstAborted([turn.signal]);
	const { signal } = run;
	let shown = "";
	const breathe = createBreather();
	tellOfBlindness(conversation, turn);
	try {
		for await (const chunk of itemsUntilAborted(client.complete(requestOf(conversation, shape), signal), signal)) {
			turn.activity.touch();
			if (chunk.type === "finished") return { finished: chunk };
			if (chunk.type === "text") shown += chunk.text;
			turn.emit({ type: chunk.type === "text" ? "text_delta" : "reasoning_delta", text: chunk.text });
			// An answer that comes faster than it can be read must not keep the user from stopping it.
			const pause = breathe();
			if (pause !== undefined) await pause;
		}
	} catch (cause) {
		if (signal.aborted) {
			keepShown(conversation, shown, "interrupted");
			throw cause;
		}
		if (!(cause instanceof ProviderRefused)) {
			keepShown(conversation, shown, "failed");
			throw cause;
		}
		return { refused: cause, shown };
	}
	return {
		refused: new ProviderRefused("unreadable", `The model "${model}" ended its answer without finishing it`),
		shown,
	};
}

/** What the user has read is part of the conversation, even when the rest never came. */
export function keepShown(conversation: Conversation, shown: string, finishReason: "interrupted" | "failed"): void {
	if (shown.trim() !== "") conversation.append({ role: "assistant", content: shown, toolCalls: [], finishReason });
}

/** Once a model: what it cannot see is no secret, and no reason to stop. */
function tellOfBlindness(conversation: Conversation, turn: Turn): void {
	const { options, routes, messages, sight } = conversation;
	const name = nameOf(routes.current);
	if (options.images === undefined || sight.told.has(name)) return;
	if (!hasImages(messages) || isSeen(conversation)) return;
	sight.told.add(name);
	turn.emit({ type: "warning", message: `The model "${routes.current.model}" is sent no images: it gets their names` });
}

function requestOf(conversation: Conversation, shape: RequestShape): ModelRequest {
	const { options, routes, sessionId, systemPrompt, sight } = conversation;
	const { tools, effort, limits, prefill = [] } = options;
	const sent = sentImages(conversation.messages, {
		images: options.images,
		isSeen: isSeen(conversation),
		replaced: sight.replaced,
	});
	const said = shape.withoutReplay ? sent.messages.map(withoutReplay) : sent.messages;
	const nudge: Message[] = shape.nudge === undefined ? [] : [{ role: "user", content: shape.nudge, origin: "harness" }];
	const maxOutputTokens = shape.maxOutputTokens ?? limits?.maxOutputTokens;
	const stable = stableLength(systemPrompt);
	const system: Message = { role: "system", content: systemPrompt, ...(stable !== undefined && { stable }) };
	return {
		model: routes.current.model,
		messages: [system, ...prefill, ...said, ...nudge],
		tools: shape.plainSchemas ? plainSchemas(tools) : tools,
		cacheKey: sessionId,
		...(sent.images.size > 0 && { images: sent.images }),
		...(shape.withoutTools && { toolChoice: "none" }),
		...(maxOutputTokens !== undefined && { maxOutputTokens }),
		...(effort !== undefined && { effort }),
	};
}

function withoutReplay(message: Message): Message {
	if (message.role !== "assistant" || message.replay === undefined) return message;
	const { replay: _, ...rest } = message;
	return rest;
}
