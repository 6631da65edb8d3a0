/** Puts right what models get wrong about the form of a call, before the message becomes part of the conversation. */

import type { AssistantMessage, ToolCall } from "../../base/conversation.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { repairJson } from "./repair-json.ts";

/** What can be called. */
export interface KnownTools {
	readonly names: readonly string[];
	has(name: string): boolean;
}

/** Providers refuse a conversation with names outside this shape. */
const acceptedName = /^[a-zA-Z0-9_-]{1,64}$/;

/** `message` itself when its calls are fine. Arguments that cannot be read stay as they are: they are refused later. */
export function repairCalls(message: AssistantMessage, known: KnownTools): AssistantMessage {
	const ids = new Set<string>();
	const toolCalls = message.toolCalls.map((call, index) => {
		const id = uniqueId(call.id, index, ids);
		ids.add(id);
		const name = repairName(call.name, known);
		const repaired = repairJson(call.arguments);
		const text = repaired.ok ? repaired.text : call.arguments;
		return id === call.id && name === call.name && text === call.arguments
			? call
			: { ...call, id, name, arguments: text };
	});
	const isSame = toolCalls.every((call, index) => call === message.toolCalls[index]);
	if (isSame) return message;
	// What the provider keeps beside the calls is about the calls as they were.
	const { replay: _, ...rest } = message;
	return { ...rest, toolCalls };
}

/** Some servers number the calls of each answer anew, or call them all the same. */
function uniqueId(id: string, index: number, taken: ReadonlySet<string>): string {
	let unique = id === "" ? `call_${index}` : id;
	while (taken.has(unique)) unique = `${unique}_${index}`;
	return unique;
}

/** The tool that was meant; the name as it is when there is none. */
export function repairName(sent: string, known: KnownTools): string {
	if (known.has(sent)) return sent;
	// What follows a quote or angle bracket leaked from the template of the model (#33007).
	const [cut = ""] = sent.split(/["'<>(]/);
	const snake = cut
		.trim()
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "_")
		.replace(/^_+|_+$/g, "");
	const bare = snake.replace(/_?tool$/, "");
	const candidates = [cut.trim(), snake, bare, bare.replace(/_?tool$/, "")];
	const meant = candidates.find((name) => known.has(name)) ?? nearestName(snake, known.names);
	if (meant !== undefined) return meant;
	return acceptedName.test(sent) ? sent : snake.slice(0, 64) || "unknown_tool";
}

/** A call that says the same as an earlier one of its message. */
export function isRepeated(call: ToolCall, calls: readonly ToolCall[]): boolean {
	const first = calls.find(({ name, arguments: text }) => name === call.name && text === call.arguments);
	return first !== undefined && first !== call;
}
