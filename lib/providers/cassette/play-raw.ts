/** Plays an answer that was recorded word for word through the reader of its wire. */

import type { ModelChunk, ModelRequest } from "../provider.ts";
import { openWire } from "../wire/open-wire.ts";
import type { TapedTurn } from "./tape.ts";

/** What is asked now; only the answer is from the tape. */
export interface RawQuestion {
	readonly request: ModelRequest;
	readonly signal: AbortSignal;
}

/** Nothing is read from the network, so that nothing can stall. */
const stallSeconds = 60;

/** @throws {ProviderRefused} When the wire cannot read the answer, as it would have been live. */
export async function* playRaw(
	{ wire, provider, content_type: type, body }: NonNullable<TapedTurn["raw"]>,
	{ request, signal }: RawQuestion,
): AsyncGenerator<ModelChunk> {
	const client = await openWire(wire, {
		provider,
		baseUrl: "http://cassette.invalid/v1",
		keyName: "a key",
		stallSeconds,
		answer: () => new Response(body, { headers: { "content-type": type } }),
	});
	yield* client.complete(request, signal);
}
