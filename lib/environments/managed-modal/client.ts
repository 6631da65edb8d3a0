/** Talks HTTP to the gateway: one request, what its answers mean, and patience with a service that is busy. */

import { reasonOf } from "../../base/attempt.ts";
import { backoffMs } from "../../base/backoff.ts";
import { currentToken, type RefreshToken, type ToolGateway } from "../../config/tool-gateway.ts";

/** A way to the gateway. */
export interface GatewayClient {
	readonly gateway: ToolGateway;
	/** Exchanges a token that is about to end, where somebody can. */
	readonly refresh?: RefreshToken | undefined;
}

/** One request. */
export interface GatewayRequest {
	readonly method: "GET" | "POST";
	/** Begins with a slash. */
	readonly path: string;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** For the whole of one attempt, the answer's last byte included. */
	readonly limitMs: number;
	readonly signal: AbortSignal;
}

/** The gateway said no, and will say so again. */
export class GatewayRefused extends Error {
	override readonly name = "GatewayRefused";
	readonly status: number;
	/** The gateway's word for the reason; empty when it has none. */
	readonly code: string;

	constructor(message: string, { status, code }: { readonly status: number; readonly code: string }) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

/** No answer, or one that asks for patience: the same may work later. Whether it was done is not known. */
export class GatewayBusy extends Error {
	override readonly name = "GatewayBusy";
	/** How long the gateway wants to be left alone. */
	readonly retryAfterMs: number | undefined;

	constructor(message: string, options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {}) {
		super(message, { cause: options.cause });
		this.retryAfterMs = options.retryAfterMs;
	}
}

/** A gateway that wants to be left alone for longer is asked again all the same. */
const longestRetryAfterMs = 30_000;

/** Kept of an answer that is no JSON. */
const shownCharacters = 300;

/**
 * Sends a request once, and once more when its token was refused but another is stored by now.
 * @throws {GatewayRefused} @throws {GatewayBusy} @throws The reason of the signal.
 */
export async function ask(client: GatewayClient, request: GatewayRequest): Promise<unknown> {
	const token = await currentToken(client.gateway, client.refresh);
	if (typeof token === "string") throw new GatewayRefused(token, { status: 401, code: "no_token" });
	try {
		return await send(client, request, token.value);
	} catch (cause) {
		if (!(cause instanceof GatewayRefused) || cause.status !== 401) throw cause;
		const now = client.gateway.peekToken();
		if (typeof now !== "string" && now.value !== token.value) return send(client, request, now.value);
		throw new GatewayRefused(`the gateway does not accept the token of ${token.source} (${cause.message})`, cause);
	}
}

/** How long to be patient, and whom to tell. */
export interface Patience {
	/** On the clock of `performance.now()`. */
	readonly untilMs: number;
	/** Told before each wait. */
	onWait?(reason: string, waitMs: number): void;
}

/**
 * Asks until there is an answer, or no more time for another attempt.
 * @throws {GatewayRefused} @throws {GatewayBusy} @throws The reason of the signal.
 */
export async function askPatiently(client: GatewayClient, request: GatewayRequest, patience: Patience) {
	for (let attempt = 0; ; attempt++) {
		try {
			return await ask(client, request);
		} catch (cause) {
			if (!(cause instanceof GatewayBusy)) throw cause;
			const waitMs = cause.retryAfterMs ?? backoffMs(attempt);
			if (performance.now() + waitMs >= patience.untilMs) throw cause;
			patience.onWait?.(cause.message, waitMs);
			await pause(waitMs, request.signal);
		}
	}
}

/** Waits, unless the signal aborts before. @throws The reason of the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
	signal.throwIfAborted();
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	const stop = () => reject(signal.reason);
	signal.addEventListener("abort", stop, { once: true });
	try {
		await promise;
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", stop);
	}
}

async function send(client: GatewayClient, request: GatewayRequest, token: string): Promise<unknown> {
	const { method, path, body, headers, limitMs, signal } = request;
	signal.throwIfAborted();
	const limit = AbortSignal.timeout(limitMs);
	let answer: Response;
	let text: string;
	try {
		answer = await fetch(`${client.gateway.url}${path}`, {
			method,
			headers: {
				authorization: `Bearer ${token}`,
				accept: "application/json",
				...(body !== undefined && { "content-type": "application/json" }),
				...headers,
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
			// The token is for this host alone.
			redirect: "manual",
			signal: AbortSignal.any([signal, limit]),
		});
		text = await answer.text();
	} catch (cause) {
		signal.throwIfAborted();
		const why = limit.aborted ? `no answer within ${limitMs / 1000} s` : reasonOf(cause);
		throw new GatewayBusy(`the gateway cannot be reached (${why})`, { cause });
	}
	if (answer.ok) return parsed(text);
	throw failureOf(answer, text);
}

/** Half an answer is none. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new GatewayBusy("the answer of the gateway is not whole", { cause });
	}
}

function failureOf(answer: Response, text: string): GatewayRefused | GatewayBusy {
	const { status } = answer;
	const { said, code } = explanation(text);
	const reason = said === "" ? `HTTP ${status}` : `HTTP ${status}: ${said}`;
	const isBusy = status === 408 || status === 425 || status === 429 || status >= 500;
	// A 5xx that names what it could not do is an answer.
	if (isBusy && !code.includes("snapshot"))
		return new GatewayBusy(reason, { retryAfterMs: retryAfterMs(answer.headers.get("retry-after")) });
	return new GatewayRefused(reason, { status, code });
}

function explanation(text: string): { readonly said: string; readonly code: string } {
	const plain = text.replace(/\s+/g, " ").trim().slice(0, shownCharacters);
	let answer: unknown;
	try {
		answer = JSON.parse(text);
	} catch {
		return { said: plain, code: "" };
	}
	if (typeof answer !== "object" || answer === null) return { said: plain, code: "" };
	const fields = new Map<string, unknown>(Object.entries(answer));
	const texts = ["error", "message", "code"]
		.map((name) => fields.get(name))
		.filter((value) => typeof value === "string");
	const code = fields.get("code");
	return { said: texts.find((value) => value !== "") ?? plain, code: typeof code === "string" ? code : "" };
}

/** Seconds, or a date; which depends on two clocks, so that it is taken for a few seconds at the most. */
function retryAfterMs(header: string | null): number | undefined {
	if (header === null) return undefined;
	const ms = /^\s*\d+(?:\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}
