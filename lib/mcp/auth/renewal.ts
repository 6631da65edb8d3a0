/** A token in the place of one that is over: asked for once, however many requests and processes need it. */

import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { untilAborted } from "../../base/abort.ts";
import { reasonOf } from "../../base/attempt.ts";
import type { KeptTokens, LoginFiles } from "./login-files.ts";
import type { OAuthSettings } from "./oauth-settings.ts";

/** Nobody is logged in, or the service has taken the login back: only a new login helps. */
export class LoginNeeded extends Error {
	override readonly name = "LoginNeeded";
}

/** One server. */
export interface RenewalOptions {
	readonly serverUrl: string;
	readonly settings: OAuthSettings;
	readonly files: LoginFiles;
	/** To the service that gives out the tokens. */
	readonly fetch: FetchLike;
}

/**
 * Gives tokens whose access token is another one than `refused`. Calls for the same one share one request.
 * @throws {LoginNeeded} When only a new login helps.
 * @throws {Error} When the service cannot be reached or understood; the login stays.
 */
export type Renew = (refused: string, signal: AbortSignal) => Promise<KeptTokens>;

/** Waiting for another process, and for the service. */
const limitMs = 30_000;

/** One for each server and process. */
export function createRenewal(options: RenewalOptions): Renew {
	const running = new Map<string, Promise<KeptTokens>>();
	return (refused, signal) => {
		// Not the signal of the request that came first: others wait for it too, and what is given out must be written down.
		const renewing = running.get(refused) ?? renewOnce(options, refused).finally(() => running.delete(refused));
		running.set(refused, renewing);
		return untilAborted(renewing, signal);
	};
}

async function renewOnce(options: RenewalOptions, refused: string): Promise<KeptTokens> {
	const { files } = options;
	using _lock = await files.lock(AbortSignal.timeout(limitMs));
	const kept = files.tokens();
	if (kept !== undefined && kept.access_token !== refused) return kept;
	if (kept === undefined) throw new LoginNeeded("nobody is logged in there");
	if (kept.refresh_token === undefined) throw new LoginNeeded("the login there has ended, and it cannot be renewed");
	const answer = await ask(options, kept.refresh_token);
	files.saveTokens({ ...(kept.scope !== undefined && { scope: kept.scope }), ...answer });
	return files.tokens() ?? { ...answer };
}

async function ask(options: RenewalOptions, refreshToken: string) {
	const { files, settings, fetch } = options;
	const [{ refreshAuthorization }, errors] = await Promise.all([
		import("@modelcontextprotocol/sdk/client/auth.js"),
		import("@modelcontextprotocol/sdk/server/auth/errors.js"),
	]);
	const client = ownClient(settings) ?? files.client();
	if (client === undefined) throw new LoginNeeded("it is not known any more as whom we have logged in");
	try {
		const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = await found(options);
		const tokens = await refreshAuthorization(authorizationServerUrl, {
			...(metadata !== undefined && { metadata }),
			clientInformation: client,
			refreshToken,
			...(resourceMetadata !== undefined && { resource: resourceMetadata.resource }),
			fetchFn: bounded(fetch),
		});
		return { ...tokens, issuer: authorizationServerUrl };
	} catch (cause) {
		const isFinal =
			cause instanceof errors.InvalidGrantError ||
			cause instanceof errors.InvalidClientError ||
			cause instanceof errors.UnauthorizedClientError;
		if (!isFinal) throw new Error(`Cannot renew the login: ${oneLine(cause)}`, { cause });
		// Nobody shall try it again: services take a second use of an old token for theft.
		files.forget("tokens");
		throw new LoginNeeded(`the service has ended the login (${cause.errorCode})`, { cause });
	}
}

/** Where tokens are given out; without knowing it the address would be guessed. */
async function found({ files, serverUrl, fetch }: RenewalOptions): Promise<OAuthDiscoveryState> {
	const known = files.discovery();
	if (known !== undefined) return known;
	const { discoverOAuthServerInfo } = await import("@modelcontextprotocol/sdk/client/auth.js");
	const state = await discoverOAuthServerInfo(serverUrl, { fetchFn: bounded(fetch) });
	files.saveDiscovery(state);
	return state;
}

/** The client that the settings name. */
export function ownClient({ client_id, client_secret }: OAuthSettings) {
	return client_id === undefined ? undefined : { client_id, ...(client_secret !== undefined && { client_secret }) };
}

function bounded(fetch: FetchLike): FetchLike {
	return (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(limitMs) });
}

/** A page in the place of an answer is not shown from end to end. */
function oneLine(cause: unknown): string {
	const reason = reasonOf(cause);
	return reason.length > 200 ? `${reason.slice(0, 200)}…` : reason;
}
