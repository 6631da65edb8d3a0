/** A request to a web service: one JSON answer, checked, or one line that says what went wrong. */

import type { ZodType } from "zod";
import { attemptAsync } from "../../base/attempt.ts";
import { createRedactor } from "../../security/redact.ts";
import { proxyFor } from "../fetch/proxy.ts";
import { readBody } from "../fetch/read-body.ts";
import type { ServiceContext } from "./service.ts";

/** A service did not do what it was asked. The message is for the user and the model and has no key in it. */
export class ServiceFailed extends Error {
	override readonly name = "ServiceFailed";
}

/** What is asked, and the shape of the answer. */
export interface ServiceRequest<T> {
	/** From the settings, so it may be on this machine. */
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as JSON by POST; a GET without it. */
	readonly body?: unknown;
	readonly answer: ZodType<T>;
	readonly limitMs: number;
}

const limitBytes = 32 * 1024 * 1024;

/**
 * Asks a service.
 * @throws {ServiceFailed} When it cannot be reached, refuses, or answers something else. An interruption is thrown as it is.
 */
export async function askService<T>(request: ServiceRequest<T>, context: ServiceContext): Promise<T> {
	const url = URL.parse(request.url);
	if (url === null) throw new ServiceFailed(`its address "${request.url}" is none`);
	const time = AbortSignal.timeout(request.limitMs);
	const signal = AbortSignal.any([context.signal, time]);
	const asked = await attemptAsync(() => send(url, request, { ...context, signal }));
	context.signal.throwIfAborted();
	// Some services repeat the key that they do not accept.
	const keys = Object.values(request.headers ?? {}).map((value) => value.replace(/^Bearer /, ""));
	const redact = createRedactor(keys);
	if (!asked.ok) {
		const reason = time.aborted ? `no answer within ${request.limitMs / 1000} s` : shortened(asked.reason);
		throw new ServiceFailed(redact(reason));
	}
	const { status, text } = asked.value;
	if (status < 200 || status > 299) throw new ServiceFailed(redact(refusalOf(status, text)));
	const parsed = await attemptAsync(() => request.answer.parse(JSON.parse(text)));
	if (!parsed.ok) throw new ServiceFailed("its answer is not what it should be; is the address right?");
	return parsed.value;
}

async function send<T>(url: URL, { headers, body }: ServiceRequest<T>, { variables, signal }: ServiceContext) {
	const proxy = proxyFor(url, variables);
	const response = await fetch(url, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			accept: "application/json",
			...(body !== undefined && { "content-type": "application/json" }),
			...headers,
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
		// A key must not follow a redirect to somewhere else.
		redirect: "manual",
		signal,
		proxy: proxy === false ? false : { url: proxy, respectNoProxy: false },
	});
	const { bytes } = await readBody(response, limitBytes);
	return { status: response.status, text: new TextDecoder().decode(bytes) };
}

const meanings: Readonly<Record<number, string>> = {
	401: "the key is not accepted",
	402: "the credit is used up",
	403: "access is refused",
	429: "too many requests, or the quota is used up",
};

/** A service's own words are only told when they are short and no page. */
function refusalOf(status: number, text: string): string {
	const said = /"(?:message|error|detail)"\s*:\s*"([^"\\]{1,200})"/.exec(text)?.[1];
	const meaning = meanings[status];
	return [`HTTP ${status}`, meaning, said].filter(Boolean).join(": ");
}

function shortened(reason: string): string {
	return reason.replace(/\.? For more information, pass .*$/, "");
}
