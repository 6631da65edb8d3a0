/** The login of one server as its requests see it: a token on each of them, renewed before it ends or when it is refused. */

import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { KeptTokens, LoginFiles } from "./login-files.ts";
import { LoginNeeded, type Renew } from "./renewal.ts";

/** One server. */
export interface SessionLoginOptions {
	readonly name: string;
	readonly url: string;
	readonly files: LoginFiles;
	readonly renew: Renew;
	/** The way of the server's own requests. */
	readonly fetch: FetchLike;
	/** Told once for each end of a login. */
	onEnded(reason: string): void;
}

/** Who we are to the server; the shape is the one that connections ask for. */
export interface SessionLogin {
	readonly fetch: FetchLike;
	recover(signal: AbortSignal): Promise<boolean>;
	readonly advice: string;
}

/** One request, sent as often as needed. */
interface Send {
	readonly signal: AbortSignal;
	with(token: string | undefined): Promise<Response>;
}

/** A token is renewed when a tenth of its time is left, at most this many seconds before its end. */
const mostEarlySeconds = 30;
const never = new AbortController().signal;

/** Nothing is asked for before the first request. */
export function openSessionLogin(options: SessionLoginOptions): SessionLogin {
	const { name, url, files, renew, fetch } = options;
	const origin = new URL(url).origin;
	const command = `run hermes mcp login ${name}`;
	/** The token that was refused last, when nothing could be done about it. */
	let refused: string | undefined;
	let ended: string | undefined;

	const giveUp = (token: string | undefined, cause: unknown, response?: Response): Response => {
		if (!(cause instanceof LoginNeeded)) throw cause;
		if (token !== undefined) {
			ended = cause.message;
			if (refused !== token) options.onEnded(`${cause.message}; ${command}`);
			refused = token;
		}
		const headers = response?.headers.get("www-authenticate");
		return new Response(`${cause.message}; ${command}`, {
			status: 401,
			...(headers && { headers: { "www-authenticate": headers } }),
		});
	};

	const sendAgain = async (refusal: Response, token: string | undefined, again: Send): Promise<Response> => {
		await refusal.body?.cancel();
		let tried = token;
		try {
			if (token === undefined) throw new LoginNeeded("it wants to know who we are");
			tried = (await renew(token, again.signal)).access_token;
			const response = await again.with(tried);
			if (response.status !== 401) return response;
			await response.body?.cancel();
			throw new LoginNeeded("it does not accept a token that was just given out");
		} catch (cause) {
			return giveUp(tried, cause, refusal);
		}
	};

	const sendWith: FetchLike = async (input, init) => {
		const signal = init?.signal ?? never;
		const send: Send = { signal, with: (token) => fetch(input, withToken(init, token)) };
		let token: string | undefined;
		try {
			token = await currentToken(files, renew, signal);
		} catch (cause) {
			return giveUp(files.tokens()?.access_token, cause);
		}
		const first = await send.with(token);
		const response = first.status === 401 ? await sendAgain(first, token, send) : first;
		return response.status === 403 ? await explained(response, name) : response;
	};

	return {
		get advice() {
			return ended === undefined ? command : `${ended}; ${command}`;
		},
		fetch: (input, init) => (new URL(input).origin === origin ? sendWith(input, init) : fetch(input, init)),
		async recover() {
			const kept = files.tokens();
			return kept !== undefined && kept.access_token !== refused;
		},
	};
}

/** A token that is over is not sent: it would only be refused. */
async function currentToken(files: LoginFiles, renew: Renew, signal: AbortSignal): Promise<string | undefined> {
	const kept = files.tokens();
	if (kept === undefined) return undefined;
	const left = secondsLeft(kept);
	const early = Math.min(mostEarlySeconds, (kept.expires_in ?? Number.POSITIVE_INFINITY) / 10);
	if (left > early || (kept.refresh_token === undefined && left > 0)) return kept.access_token;
	try {
		return (await renew(kept.access_token, signal)).access_token;
	} catch (cause) {
		// It may be accepted yet, and the service may be back when it is not.
		if (left > 0 && !(cause instanceof LoginNeeded) && !signal.aborted) return kept.access_token;
		throw cause;
	}
}

function secondsLeft({ expires_at: end }: KeptTokens): number {
	return end === undefined ? Number.POSITIVE_INFINITY : end - Date.now() / 1_000;
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
	const headers = new Headers(init?.headers);
	if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
	return { ...init, headers };
}

/** A login that does not reach far enough is no failure of the server: the user can widen it. */
async function explained(response: Response, name: string): Promise<Response> {
	const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
	const { error, scope } = extractWWWAuthenticateParams(response);
	if (error !== "insufficient_scope") return response;
	await response.body?.cancel();
	const wanted = scope === undefined ? "" : ` --scope ${JSON.stringify(scope)}`;
	const text = `the login does not reach far enough; run hermes mcp login ${name}${wanted}`;
	return new Response(text, { status: 403, headers: response.headers });
}
