/** Has a model sum up messages, in parts where they are too many for it, and rests for a while after a failure. */

import { itemsUntilAborted } from "../../base/abort.ts";
import { reasonOf } from "../../base/attempt.ts";
import type { Message } from "../../base/conversation.ts";
import { type ModelChunk, type ModelClient, ProviderRefused, type RefusalKind } from "../../providers/provider.ts";
import { summaryTokens } from "./limits.ts";
import { summaryMessages } from "./summary-prompt.ts";
import { type Mask, transcriptParts } from "./transcript.ts";

/** A model that can be asked. */
export interface Summariser {
	readonly client: ModelClient;
	readonly model: string;
	/** Tokens of its window. */
	readonly window: number;
	readonly timeoutSeconds: number;
	/** Told what an answer used: summaries are paid for like any other. */
	onUsed?(used: Pick<Extract<ModelChunk, { type: "finished" }>, "usage" | "costMicroUsd">): void;
}

/** What is summed up. */
export interface SummaryTask {
	readonly messages: readonly Message[];
	/** Tokens of the messages before they were shortened. */
	readonly tokens: number;
	readonly previous: string | undefined;
	readonly focus: string | undefined;
	readonly mask: Mask;
	readonly date: Date;
}

/** A part must leave room for the instruction, an earlier summary and the answer. */
const partOfWindow = 0.6;
const charactersPerToken = 3;
const mostParts = 4;
/** A longer answer than asked for is better than one that is cut. */
const slack = 1.3;

/** @throws {ProviderRefused | Error} When the model does not answer, or says nothing. */
export async function summarise(task: SummaryTask, by: Summariser, signal: AbortSignal): Promise<string> {
	const { messages, mask, focus, date } = task;
	const partCharacters = Math.floor(by.window * partOfWindow) * charactersPerToken;
	const tokens = summaryTokens(task.tokens, by.window);
	let { previous } = task;
	for (const transcript of transcriptParts(messages, { mask, partCharacters, mostParts })) {
		const question = summaryMessages({ transcript, previous, focus: focus && mask(focus), tokens, date });
		previous = mask(await answerOf(by, { messages: question, tokens }, signal));
	}
	return previous ?? "";
}

async function answerOf(
	{ client, model, timeoutSeconds, onUsed }: Summariser,
	{ messages, tokens }: { readonly messages: readonly Message[]; readonly tokens: number },
	signal: AbortSignal,
): Promise<string> {
	const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
	const request = { model, messages, tools: [], maxOutputTokens: Math.ceil(tokens * slack) };
	let text = "";
	for await (const chunk of itemsUntilAborted(client.complete(request, limit), limit)) {
		if (chunk.type !== "finished") continue;
		text = chunk.message.content;
		onUsed?.(chunk);
	}
	const said = text.replace(/<think>[\s\S]*?<\/think>/g, "").trim();
	if (said === "") throw new Error(`the model "${model}" said nothing`);
	return said;
}

const longPauses: readonly RefusalKind[] = ["settings", "auth", "auth_permanent", "billing", "model_not_found"];
const shortPauses: readonly RefusalKind[] = ["unreadable", "stalled", "network"];

/** How long no model is asked for a summary after this failure: long when it lasts, short when the line was bad. */
export function pauseAfterMs(cause: unknown): number {
	const kind = cause instanceof ProviderRefused ? cause.kind : undefined;
	if (kind !== undefined && longPauses.includes(kind)) return 600_000;
	return kind !== undefined && shortPauses.includes(kind) ? 30_000 : 60_000;
}

/** What is said of a failure. */
export function failureOf(cause: unknown): string {
	return reasonOf(cause);
}
