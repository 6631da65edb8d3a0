/** Puts the streamed pieces of `reasoning_details` together; what comes out goes back to the provider as it is. */

import type { JsonValue } from "../../base/conversation.ts";
import type { ReasoningDetail } from "./chat-chunk.ts";

/** Fields that come in pieces; all others come whole. */
const growing: ReadonlySet<string> = new Set(["text", "summary", "data"]);

/** Collects the pieces of one answer. */
export interface ReasoningDetails {
	add(piece: ReasoningDetail): void;
	/** In the order in which they began. */
	finish(): readonly JsonValue[];
}

/** Starts empty. A piece belongs to the one before it when both have the same index and type. */
export function collectReasoningDetails(): ReasoningDetails {
	const details: Record<string, JsonValue>[] = [];
	return {
		add(piece) {
			const open = details.findLast(({ index, type }) => index === piece.index && type === piece.type);
			if (open === undefined || startsAnother(open, piece)) {
				details.push({ ...piece });
				return;
			}
			for (const [name, value] of Object.entries(piece)) {
				const before = open[name];
				const grows = growing.has(name) && typeof before === "string" && typeof value === "string";
				if (value !== null) open[name] = grows ? before + value : value;
			}
		},
		finish: () => details,
	};
}

/** Without an index nothing tells two apart but their ids, and a signature ends the one it signs. */
function startsAnother(open: Readonly<Record<string, JsonValue>>, piece: ReasoningDetail): boolean {
	if (typeof open.id === "string" && typeof piece.id === "string" && open.id !== piece.id) return true;
	return (
		typeof open.signature === "string" && open.signature !== "" && typeof piece.text === "string" && piece.text !== ""
	);
}
