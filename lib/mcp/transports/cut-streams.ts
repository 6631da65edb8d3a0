/** Answers for requests whose stream of events is cut off before the answer and cannot be gone on with: else they would wait until their time is over. */

import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { attempt } from "../../base/attempt.ts";
import { sameResponse } from "./bounded-body.ts";

/** Looks after the requests of one transport. */
export interface StreamWatch {
	/** What the transport sends through. */
	readonly fetch: FetchLike;
	/** To be called once, before the transport is connected. */
	attach(transport: Transport): void;
}

const sent = z.looseObject({
	method: z.string(),
	id: z.union([z.string(), z.number()]).optional(),
	params: z.looseObject({ requestId: z.union([z.string(), z.number()]).optional() }).optional(),
});

/** Number and last words are the SDK's own for it. */
const cutOff = {
	code: -32_000,
	message: "its answer was cut off, and whether it did what was asked is not known: Connection closed",
};
/** The last event may still be on its way through the SDK when its stream is over. */
const lastEventMs = 250;

/** Everything is sent through `send`. */
export function watchStreams(send: FetchLike): StreamWatch {
	const waiting = new Set<RequestId>();
	let transport: Transport | undefined;
	const onCut = (id: RequestId) => {
		setTimeout(() => {
			if (waiting.delete(id)) transport?.onmessage?.({ jsonrpc: "2.0", id, error: cutOff });
		}, lastEventMs).unref();
	};
	return {
		attach(watched) {
			transport = watched;
			// The SDK's client keeps it, and calls it first.
			watched.onmessage = (message) => {
				if (!("method" in message) && message.id !== undefined) waiting.delete(message.id);
			};
		},
		async fetch(input, init) {
			const message = messageOf(init?.body);
			const cancelled = message?.method === "notifications/cancelled" ? message.params?.requestId : undefined;
			if (cancelled !== undefined) waiting.delete(cancelled);
			const id = message?.id;
			const response = await send(input, init);
			if (id === undefined || response.body === null || !isStream(response)) return response;
			waiting.add(id);
			return sameResponse(
				response,
				withEnd(response.body, () => onCut(id)),
			);
		},
	};
}

function messageOf(body: unknown): z.output<typeof sent> | undefined {
	if (typeof body !== "string") return undefined;
	const read = attempt((): unknown => JSON.parse(body));
	return read.ok ? sent.safeParse(read.value).data : undefined;
}

function isStream({ headers }: Response): boolean {
	return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** Tells of the end of a stream in which no event had an id: one that had is gone on with by the SDK. */
function withEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
		transform(bytes, controller) {
			if (!hasId) {
				const text = before + Buffer.from(bytes).toString("latin1");
				hasId = /[\r\n]id:/.test(text);
				before = text.slice(-3);
			}
			controller.enqueue(bytes);
		},
	});
	let hasId = false;
	let before = "\n";
	const end = () => {
		if (!hasId) onEnd();
	};
	body.pipeTo(writable).then(end, end);
	return readable;
}
