/** A memory service that a user's plug-in brings, by its hooks `memory_prefetch`, `memory_sync` and `memory_write`. */

import type { MemoryProvider } from "../../memory/provider.ts";
import type { Hooks, Payload } from "../../registry/hooks.ts";

/** Undefined when no plug-in has one of these hooks. */
export function pluginMemory(hooks: Hooks): MemoryProvider | undefined {
	const names = ["memory_prefetch", "memory_sync", "memory_write"];
	if (!names.some((name) => hooks.has(name))) return undefined;
	const tell = async (name: string, payload: Payload) => {
		for await (const _ of hooks.fire(name, () => payload));
	};
	return {
		async prefetch(query, sessionId) {
			const texts: string[] = [];
			for await (const text of hooks.fire("memory_prefetch", () => ({ query, session_id: sessionId })))
				if (typeof text === "string") texts.push(text);
			return texts.join("\n\n");
		},
		syncTurn: ({ sessionId, user, assistant }) => tell("memory_sync", { session_id: sessionId, user, assistant }),
		onMemoryWrite: ({ sessionId, action, target, content, oldText }) =>
			tell("memory_write", { session_id: sessionId, action, target, content, old_text: oldText }),
	};
}
