/** One model call: streams what arrives and keeps the whole message. */

import { itemsUntilAborted } from "../base/abort.ts";
import type { AssistantMessage } from "../base/conversation.ts";
import { type ModelChunk, ProviderRefused } from "../providers/provider.ts";
import { type Conversation, isEmpty } from "./conversation.ts";
import { addUsage, noUsage } from "./tally.ts";
import type { Turn } from "./turn.ts";

type Finished = Extract<ModelChunk, { type: "finished" }>;

/**
 * The model's next message, already written.
 * @throws {ProviderRefused} When no usable answer came; text that was shown until then is kept.
 */
export async function callModel(conversation: Conversation, { signal, tally }: Turn): Promise<AssistantMessage> {
	const { options } = conversation;
	tally.modelCalls++;
	const finished = await stream(conversation, signal);
	const usage = finished.usage ?? noUsage;
	tally.usage = addUsage(tally.usage, usage);
	const { message } = finished;
	if (!isEmpty(message)) conversation.append(message);
	options.store?.addUsage(options.sessionId, usage);
	if (isEmpty(message)) throw new ProviderRefused("unreadable", whyEmpty(message, options.model));
	options.emit({ type: "assistant_message", text: message.content, tool_calls: message.toolCalls.length });
	return message;
}

function whyEmpty({ finishReason }: AssistantMessage, model: string): string {
	return finishReason === "content_filter"
		? `The provider's content filter withheld the answer of "${model}"; ask in other words or use another model`
		: `The model "${model}" answered with nothing; ask again or use another model`;
}

async function stream(conversation: Conversation, signal: AbortSignal): Promise<Finished> {
	const { client, model, systemPrompt, tools, emit } = conversation.options;
	const messages = [{ role: "system" as const, content: systemPrompt }, ...conversation.messages];
	let shown = "";
	try {
		for await (const chunk of itemsUntilAborted(client.complete({ model, messages, tools }, signal), signal)) {
			if (chunk.type === "finished") return chunk;
			if (chunk.type === "text") shown += chunk.text;
			emit({ type: chunk.type === "text" ? "text_delta" : "reasoning_delta", text: chunk.text });
		}
	} catch (cause) {
		keepShown(conversation, shown, signal.aborted ? "interrupted" : "failed");
		throw cause;
	}
	throw new ProviderRefused("unreadable", `The model "${model}" ended its answer without finishing it`);
}

/** What the user has read is part of the conversation, even when the rest never came. */
function keepShown(conversation: Conversation, shown: string, finishReason: "interrupted" | "failed"): void {
	if (shown.trim() !== "") conversation.append({ role: "assistant", content: shown, toolCalls: [], finishReason });
}
