/** One question and its answer on any wire: the limit on silence, the refusal, the copy of what came. */

import type { ModelChunk, ModelRequest, WireName } from "../provider.ts";
import { guardStall } from "../stall.ts";
import { wireRefusal } from "./refusal.ts";
import { type Fetch, openTransport } from "./transport.ts";
import type { WireSettings } from "./wire-settings.ts";

/** What is different from wire to wire. */
export interface WireTurn {
	readonly wire: WireName;
	/** Headers of the wire, with the key. */
	readonly headers: Readonly<Record<string, string>>;
	/** Sends the question; the events of the answer come as the SDK parsed them. */
	ask(fetch: Fetch, signal: AbortSignal): PromiseLike<AsyncIterable<unknown>>;
	/** Makes our chunks of the events. `isMarkedEnd` is true once `endMark` has come. */
	read(events: AsyncIterable<unknown>, isMarkedEnd: () => boolean): AsyncIterable<ModelChunk>;
	/** Whether an event is a part of an answer; what is sent only to keep the connection open resets no timer. */
	isPart?(event: unknown): boolean;
	/** Name of the event that a whole answer of a server that does not stream becomes. */
	readonly wholeEvent?: string;
	/** What stands at the end of a stream that is whole; SDKs do not pass it on. */
	readonly endMark?: string;
}

/** A question on its way. */
export interface Asked {
	readonly request: ModelRequest;
	readonly caller: AbortSignal;
}

/** @throws {ProviderRefused} When no answer came that can be used. */
export async function* exchange(
	settings: WireSettings,
	{ request, caller }: Asked,
	turn: WireTurn,
): AsyncGenerator<ModelChunk> {
	using stall = guardStall(settings.stallSeconds, caller);
	const transport = openTransport(settings, { ...turn, extraBody: request.extraBody }, request.onRaw !== undefined);
	try {
		const events = await stall.wait(turn.ask(transport.fetch, stall.signal));
		for await (const chunk of turn.read(stall.watch(events, turn.isPart), transport.isMarkedEnd)) {
			if (chunk.type === "finished") tellRaw(transport.raw());
			yield chunk;
		}
	} catch (cause) {
		caller.throwIfAborted();
		// SDKs report every abort alike; the signal knows whether it was silence.
		const reason = stall.signal.aborted ? stall.signal.reason : (transport.failure() ?? cause);
		throw wireRefusal(reason, { ...settings, model: request.model, contentType: transport.contentType() });
	}

	function tellRaw(raw: ReturnType<typeof transport.raw>): void {
		if (raw !== undefined) request.onRaw?.({ wire: turn.wire, provider: settings.provider, ...raw });
	}
}
