/** Puts streamed pieces of tool calls together, whatever a server makes of index and id. */

import type { JsonValue, ToolCall } from "../../base/conversation.ts";
import { callId } from "./call-id.ts";
import type { ToolCallDelta } from "./chat-chunk.ts";

interface Part {
	id: string;
	name: string;
	arguments: string;
	extra?: JsonValue;
}

/** Collects the pieces of one message. */
export interface ToolCallParts {
	add(delta: ToolCallDelta): void;
	/** The calls in the order in which they began, each with an id of its own and `{}` for no arguments. */
	finish(): ToolCall[];
}

/** Starts empty. `salt` makes the ids of calls that came without one different from turn to turn. */
export function collectToolCalls(salt: string): ToolCallParts {
	const parts: Part[] = [];
	const byIndex = new Map<number, Part>();

	const partFor = (delta: ToolCallDelta): Part => {
		const current = delta.index == null ? undefinedIndex(parts, delta) : byIndex.get(delta.index);
		if (current !== undefined && !beginsAnother(current, delta)) return current;
		const part: Part = { id: "", name: "", arguments: "" };
		parts.push(part);
		if (delta.index != null) byIndex.set(delta.index, part);
		return part;
	};

	return {
		add(delta) {
			const part = partFor(delta);
			if (delta.id) part.id = delta.id;
			// Set, never joined: some servers send the name with every piece.
			if (delta.function?.name) part.name = delta.function.name;
			part.arguments += textOf(delta);
			if (delta.extra_content != null) part.extra = delta.extra_content;
		},
		finish() {
			const ids = new Set<string>();
			return parts.map(({ id, name, arguments: text, extra }, index) => {
				const own = id === "" || ids.has(id) ? callId([salt, index, name, text]) : id;
				ids.add(own);
				return { id: own, name, arguments: text.trim() === "" ? "{}" : text, ...(extra !== undefined && { extra }) };
			});
		},
	};
}

function undefinedIndex(parts: readonly Part[], delta: ToolCallDelta): Part | undefined {
	const sameId = delta.id ? parts.find(({ id }) => id === delta.id) : undefined;
	return sameId ?? parts.at(-1);
}

/** A server that uses index 0 (or none) for every call shows a new call by another id, or by a name after whole arguments. */
function beginsAnother(current: Part, delta: ToolCallDelta): boolean {
	if (delta.id && current.id !== "") return delta.id !== current.id;
	return Boolean(delta.function?.name) && textOf(delta) !== "" && isWhole(current.arguments);
}

function isWhole(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

function textOf(delta: ToolCallDelta): string {
	const value = delta.function?.arguments;
	if (value == null) return "";
	return typeof value === "string" ? value : JSON.stringify(value);
}
