/** A model that is told, with each question, what a memory service recalled for it. */

import type { AssistantMessage, Message } from "../base/conversation.ts";
import type { ModelChunk, ModelClient } from "../providers/provider.ts";
import { createRecallFilter, fencedRecall, withoutRecall } from "./recall-fence.ts";

/** Recalls by question, as long as the process lives: a question keeps its own, so that what was sent stays as it was. */
export interface Recalls {
	/** `recall` belongs to the next question that says `question`. */
	expect(question: string, recall: string): void;
	/** `messages` as they are sent; those that are kept do not change. */
	applied(messages: readonly Message[]): readonly Message[];
}

/** No recalls yet. */
export function createRecalls(): Recalls {
	const known = new WeakMap<Message, string>();
	let next = { question: "", recall: "" };
	return {
		expect(question, recall) {
			next = { question, recall: recall.trim() };
		},
		applied(messages) {
			const asked = messages.findLast((message) => message.role === "user" && message.origin === undefined);
			if (asked !== undefined && !known.has(asked)) {
				// Names of images may stand before it.
				const isExpected = asked.content === next.question || asked.content.endsWith(`\n${next.question}`);
				known.set(asked, isExpected ? next.recall : "");
				if (isExpected) next = { question: "", recall: "" };
			}
			return messages.map((message) => {
				const recall = known.get(message) ?? "";
				return recall === "" || message.role !== "user"
					? message
					: { ...message, content: `${message.content}\n\n${fencedRecall(recall)}` };
			});
		},
	};
}

/** `client` with recalls in its questions, and none of them in its answers, however they are cut. */
export function recallingClient(client: ModelClient, recalls: Recalls): ModelClient {
	return {
		...client,
		async *complete(request, signal) {
			const filter = createRecallFilter();
			const messages = recalls.applied(request.messages);
			for await (const chunk of client.complete({ ...request, messages }, signal)) yield* filtered(chunk, filter);
		},
	};
}

function* filtered(chunk: ModelChunk, filter: ReturnType<typeof createRecallFilter>): Generator<ModelChunk> {
	if (chunk.type === "text") {
		const text = filter.add(chunk.text);
		if (text !== "") yield { ...chunk, text };
		return;
	}
	if (chunk.type === "finished") {
		const rest = filter.end();
		if (rest !== "") yield { type: "text", text: rest };
		yield { ...chunk, message: scrubbed(chunk.message) };
		return;
	}
	yield chunk;
}

function scrubbed(message: AssistantMessage): AssistantMessage {
	const content = withoutRecall(message.content);
	return content === message.content ? message : { ...message, content };
}
