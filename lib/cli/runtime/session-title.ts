/** A title for a session after its first exchange, made by the model beside the conversation. */

import { itemsUntilAborted } from "../../base/abort.ts";
import type { Message } from "../../base/conversation.ts";
import type { ModelClient } from "../../providers/provider.ts";

/** Who is asked, and about what. */
export interface TitleOptions {
	readonly client: ModelClient;
	readonly model: string;
	/** What the user said first, and what was answered. */
	readonly question: string;
	readonly answer: string;
}

/** Characters of each side that the model sees, and of the title. */
const shownLength = 500;
const longestTitle = 80;

const instruction =
	"Name this conversation: answer with a title of three to seven words in the language of the user, and nothing else. No quotes, no full stop.";

/**
 * Three to seven words; undefined when nothing usable was answered.
 * @throws {ProviderRefused} When the model does not answer.
 */
export async function generateTitle(options: TitleOptions, signal: AbortSignal): Promise<string | undefined> {
	const { client, model, question, answer } = options;
	const messages: Message[] = [
		{ role: "system", content: instruction },
		{ role: "user", content: `User: ${question.slice(0, shownLength)}\n\nAssistant: ${answer.slice(0, shownLength)}` },
	];
	let text = "";
	for await (const chunk of itemsUntilAborted(client.complete({ model, messages, tools: [] }, signal), signal)) {
		if (chunk.type === "finished") text = chunk.message.content;
	}
	return usableTitle(text);
}

/** The first line without what models put around a title, cut at a word. */
export function usableTitle(text: string): string | undefined {
	const line = text
		.replace(/<think>[\s\S]*?<\/think>/g, "")
		.split("\n")
		.map((one) => one.trim())
		.find((one) => one !== "");
	const bare = line
		?.replace(/^(#+\s*|\**title\**\s*:\s*)/i, "")
		.replace(/^["'“”«»*`_]+|["'“”«»*`_.]+$/g, "")
		.trim();
	if (!bare) return undefined;
	const characters = [...bare];
	if (characters.length <= longestTitle) return bare;
	return characters
		.slice(0, longestTitle)
		.join("")
		.replace(/\s+\S*$/, "");
}
