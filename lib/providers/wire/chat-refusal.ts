/** One clear line for everything that can go wrong on a chat-completions wire. */

import type { APIError } from "openai";
import { createRedactor } from "../../security/redact.ts";
import { ProviderRefused, type RefusalKind } from "../provider.ts";
import { Stalled } from "../stall.ts";
import { UnreadableStream } from "./chat-stream.ts";

/** What a refusal may name. */
export interface WireFacts {
	readonly baseUrl: string;
	readonly model: string;
	/** Never shown: it is cut out of what the server says. */
	readonly apiKey: string | undefined;
	/** The environment variable that the user would set. */
	readonly keyName: string;
	readonly stallSeconds: number;
	/** What the server said it sends, when it answered at all. */
	readonly contentType: string | undefined;
}

interface Reading {
	readonly kind: RefusalKind;
	readonly state: string;
	readonly status?: number;
}

/** `isApiError` comes from the SDK, which is loaded when used. */
export function chatRefusal(
	cause: unknown,
	facts: WireFacts,
	isApiError: (cause: unknown) => cause is APIError,
): ProviderRefused {
	if (cause instanceof ProviderRefused) return cause;
	const { kind, state, status } = isApiError(cause) ? readApiError(cause, facts) : readOther(cause, facts);
	const message = `Cannot get an answer from "${facts.baseUrl}": ${oneLine(state, facts.apiKey)}`;
	return new ProviderRefused(kind, message, { cause, ...(status === undefined ? {} : { status }) });
}

function readApiError(error: APIError, facts: WireFacts): Reading {
	const status = error.status;
	if (status === undefined) {
		// Without a status it is a connection that failed, or an error object inside the stream.
		return error.error === undefined
			? readConnection(error)
			: { kind: "overloaded", state: `it reports ${said(error)}` };
	}
	const { kind, state } = readStatus(status, error, facts);
	return { kind, state, status };
}

function readStatus(status: number, error: APIError, { keyName, model, apiKey }: WireFacts): Reading {
	if (status === 401 || status === 403) {
		const advice = apiKey === undefined ? `set ${keyName}` : `check the key in ${keyName}`;
		return { kind: "auth", state: `it refuses the API key (${status}); ${advice}` };
	}
	if (status === 404) {
		return {
			kind: "bad_request",
			state: `it does not know the model "${model}" or this address (404): ${said(error)}; check -m and --base-url`,
		};
	}
	if (status === 402) return { kind: "rate_limit", state: `the account has no credit left (402): ${said(error)}` };
	if (status === 429)
		return { kind: "rate_limit", state: `too many requests (429): ${said(error)}; wait and try again` };
	if (status >= 500)
		return { kind: "overloaded", state: `the server failed (${status}): ${said(error)}; try again later` };
	if (status < 400)
		return { kind: "settings", state: `it redirects (${status}); give the final address with --base-url` };
	return { kind: "bad_request", state: `it rejects the request (${status}): ${said(error)}` };
}

function readOther(cause: unknown, facts: WireFacts): Reading {
	if (cause instanceof Stalled) {
		return { kind: "stalled", state: `nothing came for ${facts.stallSeconds} s; the request was given up` };
	}
	if (cause instanceof UnreadableStream) {
		if (cause.brokenOff) return { kind: "network", state: `it ${cause.message}` };
		const type = facts.contentType === undefined ? "" : ` (content type ${facts.contentType})`;
		return { kind: "unreadable", state: `it ${cause.message}${type}; check --base-url` };
	}
	if (cause instanceof SyntaxError)
		return { kind: "unreadable", state: "it sent a stream that is not JSON; check --base-url" };
	return readConnection(cause);
}

function readConnection(cause: unknown): Reading {
	const reason = deepest(cause);
	const code = reason instanceof Error && "code" in reason ? String(reason.code) : "";
	const state =
		connectionStates[code] ?? `the connection failed (${reason instanceof Error ? reason.message : String(reason)})`;
	return { kind: "network", state };
}

const refused = "the connection was refused; is the server running?";
const brokenOff = "the connection broke off in the middle of its answer";
const connectionStates: Readonly<Record<string, string>> = {
	ConnectionRefused: refused,
	ECONNREFUSED: refused,
	ConnectionClosed: brokenOff,
	ECONNRESET: brokenOff,
	FailedToOpenSocket: "the host was not found or cannot be reached",
	ENOTFOUND: "the host was not found",
};

function deepest(cause: unknown): unknown {
	let reason = cause;
	for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause !== undefined; depth++)
		reason = reason.cause;
	return reason;
}

/** The server's own words. An error page in HTML says nothing that helps. */
function said(error: APIError): string {
	const words = error.message.replace(/^\d{3} /, "");
	return /<html|<!doctype/i.test(words) ? "an HTML page" : words;
}

function oneLine(text: string, apiKey: string | undefined): string {
	const open = apiKey === undefined || apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
	// A server may quote the request, with whatever secrets stood in it; cut afterwards, so that none is cut in two.
	const line = createRedactor()(open)
		.replace(/[\p{Cc}\s]+/gu, " ")
		.trim();
	return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
