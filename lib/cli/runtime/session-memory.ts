/** A memory service in a conversation: asked before each question, told of answers and notes, never in the way. */

import { untilAborted } from "../../base/abort.ts";
import { attempt, attemptAsync } from "../../base/attempt.ts";
import type { ToolCall } from "../../base/conversation.ts";
import type { Logger } from "../../log/logger.ts";
import type { MemoryProvider, RememberedTurn } from "../../memory/provider.ts";
import { createRecalls, recallingClient } from "../../memory/recall-client.ts";
import type { ModelClient } from "../../providers/provider.ts";
import { openSideWork } from "./side-work.ts";

/** The service of one run. Disposing it waits a while for what it is still to be told. */
export interface SessionMemory extends AsyncDisposable {
	/** The model, told with each question what was recalled for it. */
	recalling(client: ModelClient): ModelClient;
	/** Asks the service about a question; without an answer in time the question goes as it is. */
	prepare(question: string, sessionId: string, signal: AbortSignal): Promise<void>;
	turnEnded(turn: RememberedTurn): void;
	/** A call of the memory tool that changed something. */
	noteChanged(call: ToolCall, sessionId: string): void;
}

/** How long a question waits for its recall, and the end of the run for what is told. */
const recallMs = 5_000;
const drainMs = 5_000;

/** A memory with nothing recalled yet. */
export function openSessionMemory(provider: MemoryProvider, log: Logger): SessionMemory {
	const failed = (reason: string) => log.warning(`memory service: ${reason}`);
	const told = openSideWork(failed, drainMs);
	const recalls = createRecalls();
	return {
		recalling: (client) => recallingClient(client, recalls),
		async prepare(question, sessionId, signal) {
			const limit = AbortSignal.any([signal, AbortSignal.timeout(recallMs)]);
			const recalled = await attemptAsync(() => untilAborted(provider.prefetch(question, sessionId), limit));
			if (!recalled.ok) failed(recalled.reason);
			recalls.expect(question, recalled.ok ? recalled.value : "");
		},
		turnEnded: (turn) => told.start(() => provider.syncTurn(turn)),
		noteChanged({ arguments: json }, sessionId) {
			const parsed = attempt((): unknown => JSON.parse(json));
			const args = new Map(Object.entries(parsed.ok && typeof parsed.value === "object" ? (parsed.value ?? {}) : {}));
			const text = (name: string) => (args.has(name) ? String(args.get(name)) : undefined);
			const action = text("action") ?? "";
			if (action === "list") return;
			const target = text("target") ?? "memory";
			const write = { sessionId, action, target, content: text("content"), oldText: text("old_text") };
			told.start(() => provider.onMemoryWrite(write));
		},
		[Symbol.asyncDispose]: () => told[Symbol.asyncDispose](),
	};
}
