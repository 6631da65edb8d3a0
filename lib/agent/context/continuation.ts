/** The session that goes on where a compressed one ends, and the lock that lets only one process begin it. */

import { attempt } from "../../base/attempt.ts";
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

/** Disposing it gives it back. */
export interface SessionLock extends Disposable {
	/** Asks once more: a machine that slept for a while has lost its locks, and somebody else may have gone on with the session. */
	isHeld(): boolean;
}

/** Undefined when another process has it, or the session was compressed meanwhile. */
export function lockSession(store: CompressionStore, sessionId: string): SessionLock | undefined {
	const holder = `${process.pid}:${crypto.randomUUID()}`;
	if (!store.takeCompressionLock(sessionId, holder)) return undefined;
	const isOver = () => store.getSession(sessionId)?.endReason === "compression";
	// It ends by itself: a database that is busy now must not undo what was written.
	const release = () => void attempt(() => store.releaseCompressionLock(sessionId, holder));
	if (isOver()) {
		release();
		return undefined;
	}
	// A summary may take longer than the lock is good for.
	const heartbeat = setInterval(() => void attempt(() => store.takeCompressionLock(sessionId, holder)), heartbeatMs);
	heartbeat.unref();
	return {
		isHeld: () => store.takeCompressionLock(sessionId, holder) && !isOver(),
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
	const { title } = old ?? {};
	if (title != null) attempt(() => store.setTitle(id, store.nextTitle(title)));
	return id;
}
