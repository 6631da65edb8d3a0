/** A client for any OpenAI-compatible chat-completions endpoint. */

import type { ModelChunk, ModelClient, ModelRequest } from "../provider.ts";
import { guardStall } from "../stall.ts";
import { wireMessages, wireTools } from "./chat-messages.ts";
import { chatRefusal } from "./chat-refusal.ts";
import { readChat } from "./chat-stream.ts";

/** Where the endpoint is and how to get in. */
export interface ChatSettings {
	readonly baseUrl: string;
	/** Left out for a server without keys; then no Authorization header is sent. */
	readonly apiKey?: string;
	/** The variable that a message about a refused key names. */
	readonly keyName: string;
	/** Seconds of silence after which a request is given up. */
	readonly stallSeconds: number;
}

/** Nothing is sent before the first request. */
export async function openChatClient(settings: ChatSettings): Promise<ModelClient> {
	const { OpenAI, APIError } = await import("openai");
	const isApiError = (cause: unknown) => cause instanceof APIError;

	return {
		async *complete(request, caller) {
			const seen: { contentType?: string } = {};
			using stall = guardStall(settings.stallSeconds, caller);
			const client = new OpenAI({ ...quiet, ...connection(settings, seen) });
			try {
				const body = { ...requestBody(request), stream: true, stream_options: { include_usage: true } } as const;
				const stream = await stall.wait(client.chat.completions.create(body, { signal: stall.signal }));
				yield* readChat(stall.watch(stream));
			} catch (cause) {
				caller.throwIfAborted();
				// The SDK reports every abort alike; the signal knows whether it was silence.
				const reason = stall.signal.aborted ? stall.signal.reason : cause;
				throw chatRefusal(reason, { ...settings, ...facts(settings, request, seen) }, isApiError);
			}
		},
	} satisfies { complete(request: ModelRequest, caller: AbortSignal): AsyncGenerator<ModelChunk> };
}

/** Everything that the SDK would otherwise take from the environment or do on its own. */
const quiet = {
	adminAPIKey: null,
	organization: null,
	project: null,
	webhookSecret: null,
	maxRetries: 0,
	logLevel: "off",
	// Longer than any request: the guard against silence decides.
	timeout: 2 ** 31 - 1,
} as const;

function connection({ baseUrl, apiKey }: ChatSettings, seen: { contentType?: string }) {
	return {
		baseURL: baseUrl,
		// The SDK insists on a key; `send` leaves the header out when there is none.
		apiKey: apiKey ?? "none",
		fetch: async (input: string | URL | Request, init?: RequestInit) => {
			const response = await send(input, init, apiKey);
			const type = response.headers.get("content-type");
			if (type !== null) seen.contentType = type.split(";")[0] ?? type;
			return response.ok && seen.contentType === "application/json" ? asStream(response) : response;
		},
	};
}

/** Our own headers only: the SDK adds those of OPENAI_CUSTOM_HEADERS, and a redirect could carry the key to another host. */
function send(
	input: string | URL | Request,
	init: RequestInit | undefined,
	apiKey: string | undefined,
): Promise<Response> {
	const headers = new Headers({
		accept: "text/event-stream",
		"content-type": "application/json",
		"user-agent": "hermes",
	});
	if (apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
	// Bun ends an idle request after five minutes by itself.
	return fetch(input, { ...init, headers, redirect: "manual", timeout: false });
}

/** A server that does not stream answers with one JSON object, which reads like a stream of one chunk. */
async function asStream(response: Response): Promise<Response> {
	const text = (await response.text()).replaceAll(/[\r\n]+/g, " ");
	return new Response(`data: ${text}\n\ndata: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}

function requestBody({ model, messages, tools }: ModelRequest) {
	return { model, messages: wireMessages(messages), ...(tools.length === 0 ? {} : { tools: wireTools(tools) }) };
}

function facts({ apiKey }: ChatSettings, { model }: ModelRequest, { contentType }: { contentType?: string }) {
	return { model, apiKey, contentType };
}
