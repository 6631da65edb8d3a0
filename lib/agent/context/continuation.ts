/** The session that goes on where a compressed one ends, and the lock that lets only one process begin it. */

import type { Message } from "../../base/conversation.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Store } from "../../store/store.ts";

/** What is needed of the store. */
export type CompressionStore = Pick<
	Store,
	| "takeCompressionLock"
	| "releaseCompressionLock"
	| "getSession"
	| "continueSession"
	| "nextTitle"
	| "setTitle"
	| "appendMessage"
>;

/** A fifth of the time after which a lock counts as left behind. */
const heartbeatMs = 60_000;

/** Undefined when another process has it, or the session was compressed meanwhile. Disposing it gives it back. */
export function lockSession(store: CompressionStore, sessionId: string): Disposable | undefined {
	const holder = `${process.pid}:${crypto.randomUUID()}`;
	if (!store.takeCompressionLock(sessionId, holder)) return undefined;
	const release = () => store.releaseCompressionLock(sessionId, holder);
	if (store.getSession(sessionId)?.endReason === "compression") {
		release();
		return undefined;
	}
	// A summary may take longer than the lock is good for.
	const heartbeat = setInterval(() => store.takeCompressionLock(sessionId, holder), heartbeatMs);
	heartbeat.unref();
	return {
		[Symbol.dispose]() {
			clearInterval(heartbeat);
			release();
		},
	};
}

/** Ends `sessionId` and begins its continuation with `messages`; gives the new id. The title goes on with the next number. */
export function continueIn(
	store: CompressionStore,
	sessionId: string,
	{ messages, systemPrompt }: { readonly messages: readonly Message[]; readonly systemPrompt: string },
): string {
	const old = store.getSession(sessionId);
	const id = createSessionId();
	const next = {
		id,
		source: old?.source ?? "cli",
		systemPrompt,
		...(old?.model != null && { model: old.model }),
		...(old?.cwd != null && { cwd: old.cwd }),
		...(old?.provider != null && { provider: old.provider }),
		...(old?.baseUrl != null && { baseUrl: old.baseUrl }),
		...(old?.userId != null && { userId: old.userId }),
		...(old !== undefined && Object.keys(old.modelConfig).length > 0 && { modelConfig: old.modelConfig }),
	};
	store.continueSession(sessionId, next, messages);
	// A title that cannot be had is no reason to lose the conversation.
	if (old?.title != null) store.setTitle(id, store.nextTitle(old.title));
	return id;
}
