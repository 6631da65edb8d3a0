/** The one way in which requests of all wires leave the machine: our own headers, one host, no redirects, proxy and authorities as configured. */

import { rootCertificates } from "node:tls";
import type { RawAnswer } from "../provider.ts";
import { viaProxy } from "./proxy.ts";
import type { WireSettings } from "./wire-settings.ts";

/** What an SDK takes in the place of `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A status that is no answer, with what the far side said about it. */
export class StatusRefused extends Error {
	override readonly name = "StatusRefused";
	readonly status: number;
	readonly headers: Headers;
	/** The body: parsed when it is JSON, else its text. */
	readonly body: unknown;

	constructor(response: Pick<Response, "status" | "headers">, body: unknown) {
		super(`status ${response.status}`);
		this.status = response.status;
		this.headers = response.headers;
		this.body = body;
	}
}

/** The way of one request. */
export interface Transport {
	readonly fetch: Fetch;
	/** What the far side said it sends, once it answered. */
	contentType(): string | undefined;
	/** Why no answer came: SDKs wrap what `fetch` throws, each in its own way. */
	failure(): unknown;
	/** Whether what came ends with the mark of a whole answer. */
	isMarkedEnd(): boolean;
	/** What came, word for word; undefined when nobody asked for it. */
	raw(): Pick<RawAnswer, "contentType" | "body"> | undefined;
}

/** The longest part of an error page that is read. */
const longestRefusal = 64 * 1024;
/** Characters at the end of an answer in which its mark is looked for. */
const lastWordsLength = 64;

/** What a wire wants of its transport. */
export interface TransportNeeds {
	/** Headers of the wire, with the key. */
	readonly headers: Readonly<Record<string, string>>;
	/** Fields that take the place of those of the body, which is JSON. */
	readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
	/** Name of the event that a whole answer becomes. */
	readonly wholeEvent?: string;
	/** At the end of a whole answer; without it nothing is looked for. */
	readonly endMark?: string;
}

/** A transport for one request. `keepRaw` keeps a copy of the answer. */
export function openTransport(
	settings: WireSettings,
	{ headers, extraBody, wholeEvent, endMark }: TransportNeeds,
	keepRaw: boolean,
): Transport {
	let contentType: string | undefined;
	let failure: unknown;
	const copy: Uint8Array[] = [];
	let lastWords = "";
	const listen = (bytes: Uint8Array) => {
		lastWords = (lastWords + Buffer.from(bytes.subarray(-lastWordsLength)).toString("latin1")).slice(-lastWordsLength);
	};

	const answer = async (input: string | URL | Request, init: RequestInit | undefined): Promise<Response> => {
		const response =
			settings.answer?.() ?? (await send(settings, headers, { input, init: withFields(init, extraBody) }));
		contentType = response.headers.get("content-type")?.split(";")[0] ?? undefined;
		if (!response.ok) throw new StatusRefused(response, await refusalBody(response));
		const heard = endMark === undefined ? response : tee(response, listen);
		const copied = keepRaw ? tee(heard, (bytes) => copy.push(bytes.slice())) : heard;
		return contentType === "application/json" ? asStream(copied, wholeEvent) : copied;
	};

	return {
		fetch: async (input, init) => {
			try {
				return await answer(input, init);
			} catch (cause) {
				failure = cause;
				throw cause;
			}
		},
		contentType: () => contentType,
		failure: () => failure,
		isMarkedEnd: () => endMark !== undefined && lastWords.trimEnd().endsWith(endMark),
		raw: () =>
			keepRaw ? { contentType: contentType ?? "", body: new TextDecoder().decode(Buffer.concat(copy)) } : undefined,
	};
}

function withFields(init: RequestInit | undefined, fields: TransportNeeds["extraBody"]): RequestInit | undefined {
	if (fields === undefined || typeof init?.body !== "string") return init;
	return { ...init, body: JSON.stringify({ ...JSON.parse(init.body), ...fields }) };
}

/** Our own headers only: SDKs add some of the environment's, and a redirect could carry the key to another host. */
async function send(
	settings: WireSettings,
	wireHeaders: Readonly<Record<string, string>>,
	{ input, init }: { readonly input: string | URL | Request; readonly init: RequestInit | undefined },
): Promise<Response> {
	const url = new URL(input instanceof Request ? input.url : input);
	if (url.origin !== new URL(settings.baseUrl).origin) {
		throw new Error(`Cannot send a request to "${url.origin}": the key belongs to "${settings.baseUrl}"`);
	}
	const headers = new Headers({
		accept: "text/event-stream",
		"content-type": "application/json",
		"user-agent": "hermes",
		...settings.headers,
		...wireHeaders,
	});
	const signature = await settings.sign?.({ url, body: typeof init?.body === "string" ? init.body : "" });
	for (const [name, value] of Object.entries(signature ?? {})) headers.set(name, value);
	const authorities = settings.network?.authorities;
	return fetch(url, {
		...init,
		headers,
		redirect: "manual",
		// Bun ends an idle request after five minutes by itself.
		timeout: false,
		...viaProxy(url, settings.network),
		...(authorities !== undefined && { tls: { ca: [...rootCertificates, authorities] } }),
	});
}

async function refusalBody(response: Response): Promise<unknown> {
	const text = (await response.text()).slice(0, longestRefusal);
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** `see` is shown all bytes on their way. */
function tee(response: Response, see: (bytes: Uint8Array) => unknown): Response {
	const body = response.body?.pipeThrough(
		new TransformStream<Uint8Array, Uint8Array>({
			transform(bytes, controller) {
				see(bytes);
				controller.enqueue(bytes);
			},
		}),
	);
	return new Response(body ?? null, response);
}

/** A server that does not stream answers with one JSON object, which reads like a stream of one event. */
async function asStream(response: Response, event: string | undefined): Promise<Response> {
	const text = (await response.text()).replaceAll(/[\r\n]+/g, " ");
	const end = event === undefined ? "data: [DONE]\n\n" : "";
	return new Response(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n${end}`, {
		headers: { "content-type": "text/event-stream" },
	});
}
