/** A login at a server through the user's browser: OAuth 2.1 with PKCE, from finding the service to the first token. */

import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthClientMetadata } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { firstAborted, untilAborted } from "../../base/abort.ts";
import { type Callback, type Expected, LoginDenied, openCallback, readAnswer } from "./callback-server.ts";
import type { LoginFiles } from "./login-files.ts";
import type { OAuthSettings } from "./oauth-settings.ts";
import { ownClient } from "./renewal.ts";

/** Who logs in where, and how the user is spoken to. */
export interface LoginOptions {
	readonly url: string;
	readonly settings: OAuthSettings;
	/** Asked for instead of what the settings and the server say. */
	readonly scope?: string | undefined;
	readonly files: LoginFiles;
	/** To the server and to the service that gives out the tokens. */
	readonly fetch: FetchLike;
	readonly signal: AbortSignal;
	/** Shows the page to open, and where the browser comes back to. */
	show(page: string, callback: string): void;
	/**
	 * What the user pastes when the browser is on another machine: the address that it could not open, or the code.
	 * Undefined when nothing comes; never called where nobody can paste.
	 */
	paste?(signal: AbortSignal): Promise<string | undefined>;
}

/** For each request; the user's own time is counted apart. */
const serviceLimitMs = 30_000;

/**
 * Ends when tokens are kept.
 * @throws {LoginDenied} When the user or the service said no, or nobody came back in time.
 * @throws {Error} When the server or the service cannot be used for a login.
 */
export async function logIn(options: LoginOptions): Promise<void> {
	const { url, settings, files, fetch, signal } = options;
	const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
	const state = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
	const kept = files.client();
	let discovery: OAuthDiscoveryState | undefined;
	const expected = { state, issuer: () => issuerOf(discovery) };
	await using callback = openCallbackAgain(portOf(kept?.redirect_uris), settings, expected);
	// A registration is for addresses; a service need not take another one.
	const isKnown = kept?.redirect_uris?.includes(callback.url) === true || kept?.redirect_uris === undefined;
	let client: OAuthClientInformationMixed | undefined = ownClient(settings) ?? (isKnown ? kept : undefined);
	let verifier = "";
	const provider: OAuthClientProvider = {
		redirectUrl: callback.url,
		...(settings.client_metadata_url !== undefined && { clientMetadataUrl: settings.client_metadata_url }),
		clientMetadata: metadataOf(settings, callback.url, options.scope),
		state: () => state,
		clientInformation: () => client,
		saveClientInformation(information) {
			if (settings.client_id !== undefined) return;
			client = { ...information };
		},
		// A login is asked for anew, whatever was there.
		tokens: () => undefined,
		saveTokens(tokens) {
			// Together: an old token is of use with the registration that it was given to, and no other.
			if (client !== undefined && settings.client_id === undefined) files.saveClient(client);
			if (discovery !== undefined) files.saveDiscovery(discovery);
			files.saveTokens(tokens);
		},
		redirectToAuthorization: (page) => options.show(page.href, callback.url),
		saveCodeVerifier(text) {
			verifier = text;
		},
		codeVerifier: () => verifier,
		discoveryState: () => discovery,
		saveDiscoveryState(found) {
			discovery = found;
		},
		invalidateCredentials(what) {
			if (what === "all" || what === "client") client = undefined;
		},
	};
	const challenge = await challengeOf(url, fetch, signal);
	const scope = options.scope ?? settings.scope ?? challenge.scope;
	const asked = {
		serverUrl: url,
		fetchFn: until(fetch, signal),
		...(challenge.resourceMetadataUrl !== undefined && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
		...(scope !== undefined && { scope }),
	};
	try {
		await auth(provider, asked);
		const authorizationCode = await waitForCode(options, callback, expected);
		using _lock = await files.lock(signal);
		await auth(provider, { ...asked, authorizationCode });
	} catch (cause) {
		// A service that has forgotten our registration shows its error in the browser, where we cannot see it.
		if (files.tokens() === undefined) files.forget("everything");
		throw cause;
	}
}

function issuerOf(discovery: OAuthDiscoveryState | undefined) {
	const metadata = discovery?.authorizationServerMetadata;
	if (metadata === undefined) return undefined;
	const key = "authorization_response_iss_parameter_supported";
	const isAlwaysNamed = key in metadata && metadata[key] === true;
	return { name: metadata.issuer, isAlwaysNamed };
}

/** The address of the last login is tried first, so that the registration stays good. */
function openCallbackAgain(last: number, { redirect_port: port }: OAuthSettings, expected: Expected): Callback {
	if (port !== 0 || last === 0) return openCallback(port, expected);
	try {
		return openCallback(last, expected);
	} catch {
		// Another program has it now: a new registration costs nothing.
		return openCallback(0, expected);
	}
}

function portOf(uris: readonly string[] | undefined): number {
	return Number(URL.parse(uris?.[0] ?? "")?.port ?? 0);
}

function metadataOf(settings: OAuthSettings, redirect: string, scope: string | undefined): OAuthClientMetadata {
	const asked = scope ?? settings.scope;
	return {
		client_name: settings.client_name,
		redirect_uris: [redirect],
		grant_types: ["authorization_code", "refresh_token"],
		response_types: ["code"],
		token_endpoint_auth_method: settings.client_secret === undefined ? "none" : "client_secret_post",
		...(asked !== undefined && { scope: asked }),
	};
}

/** What the server says when somebody comes without a token: where its service is, and what must be asked for. */
async function challengeOf(url: string, fetch: FetchLike, signal: AbortSignal) {
	const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
	const { LATEST_PROTOCOL_VERSION } = await import("@modelcontextprotocol/sdk/types.js");
	const limit = AbortSignal.any([signal, AbortSignal.timeout(serviceLimitMs)]);
	const accept = "application/json, text/event-stream";
	const posted = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json", accept },
		body: JSON.stringify({
			jsonrpc: "2.0",
			id: 0,
			method: "initialize",
			params: {
				protocolVersion: LATEST_PROTOCOL_VERSION,
				capabilities: {},
				clientInfo: { name: "hermes", version: "1" },
			},
		}),
		signal: limit,
	});
	await posted.body?.cancel();
	if (posted.status === 401) return extractWWWAuthenticateParams(posted);
	if (posted.status !== 404 && posted.status !== 405) return {};
	// Servers of the older transport take no message at this address.
	const got = await fetch(url, { headers: { accept }, signal: limit });
	await got.body?.cancel();
	return got.status === 401 ? extractWWWAuthenticateParams(got) : {};
}

const skipWords: ReadonlySet<string> = new Set(["skip", "cancel", "s", "n", "no", "q", "quit"]);

/** Whichever is first: the browser comes back, or the user pastes where it could not go. */
async function waitForCode(
	{ settings, signal, paste }: LoginOptions,
	callback: Callback,
	expected: Expected,
): Promise<string> {
	const late = AbortSignal.timeout(settings.timeout * 1_000);
	const done = new AbortController();
	using either = firstAborted([signal, late, done.signal]);
	const pasted = paste === undefined ? [] : [codeFromPaste(() => paste(either.signal), expected)];
	try {
		return await untilAborted(Promise.race([callback.code, ...pasted]), either.signal);
	} catch (cause) {
		if (!late.aborted || signal.aborted) throw cause;
		throw new LoginDenied(`nobody came back within ${settings.timeout} s`, { cause });
	} finally {
		done.abort();
	}
}

async function codeFromPaste(next: () => Promise<string | undefined>, expected: Expected): Promise<string> {
	for (;;) {
		const line = await next();
		// Nobody types any more; the browser may yet come.
		if (line === undefined) return await new Promise<never>(() => {});
		const text = line.trim();
		if (skipWords.has(text.toLowerCase())) throw new LoginDenied("you gave it up");
		const read = readPasted(text, expected);
		if (read.kind === "code") return read.code;
		if (read.kind === "denied") throw new LoginDenied(read.reason);
	}
}

/** The whole address, what stands behind its question mark, or the code alone, which PKCE binds to this login. */
function readPasted(text: string, expected: Expected): ReturnType<typeof readAnswer> {
	if (text === "") return { kind: "foreign" };
	const query =
		URL.parse(text)?.search ?? (/(?:^|[?&])(?:code|error)=/.test(text) ? text.replace(/^\?/, "") : undefined);
	if (query !== undefined) return readAnswer(new URLSearchParams(query), expected);
	return /\s/.test(text) ? { kind: "foreign" } : { kind: "code", code: text };
}

function until(fetch: FetchLike, signal: AbortSignal): FetchLike {
	return (input, init) =>
		fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(serviceLimitMs)]) });
}
