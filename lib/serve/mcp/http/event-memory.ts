/** What a client was sent last, so that one whose connection broke can go on where it was. */

import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** Characters that one client's messages take; the oldest go first. */
const usualRoom = 8 * 1024 * 1024;

interface Kept {
	readonly id: string;
	readonly streamId: string;
	readonly message: JSONRPCMessage;
	readonly length: number;
}

/** The memory of one client. */
export function createEventMemory(room = usualRoom): EventStore {
	const kept: Kept[] = [];
	let used = 0;
	let count = 0;
	const find = (id: string) => kept.find((event) => event.id === id);
	return {
		async storeEvent(streamId, message) {
			const event = { id: String(++count), streamId, message, length: JSON.stringify(message).length };
			kept.push(event);
			used += event.length;
			while (used > room && kept.length > 1) used -= kept.shift()?.length ?? 0;
			return event.id;
		},
		async getStreamIdForEventId(id) {
			return find(id)?.streamId;
		},
		async replayEventsAfter(lastId, { send }) {
			const last = find(lastId);
			if (last === undefined) throw new Error(`Cannot go on after event "${lastId}": it is not remembered any more`);
			const missed = kept.slice(kept.indexOf(last) + 1).filter(({ streamId }) => streamId === last.streamId);
			// What only marks a place has nothing to say.
			for (const { id, message } of missed) if ("jsonrpc" in message) await send(id, message);
			return last.streamId;
		},
	};
}
