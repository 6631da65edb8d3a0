/** The side of an OAuth service that decides: who is known, which codes and tokens are good. */

import {
	AccessDeniedError,
	InvalidGrantError,
	InvalidTokenError,
	ServerError,
} from "@modelcontextprotocol/sdk/server/auth/errors.js";
import type { AuthorizationParams, OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js";
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";

/** What a test may change while it runs, and what it may look at. */
export interface OAuthState {
	/** Seconds that new access tokens are good for. */
	accessSeconds: number;
	/** The user says no in the browser. */
	denies: boolean;
	/** The next requests for a renewal fail like this. */
	refreshFailure: "none" | "down" | "page";
	/** How often a renewal was asked for. */
	refreshes: number;
	/** Refresh tokens that came a second time. */
	reused: number;
	readonly clients: Map<string, OAuthClientInformationFull>;
	readonly access: Map<string, AuthInfo>;
	readonly refresh: Map<string, Given>;
	/** What was asked for in the browser, in order. */
	readonly asked: AuthorizationParams[];
}

/** What a refresh token was given out for. */
interface Given {
	readonly clientId: string;
	readonly scopes: string[];
	readonly resource: URL | undefined;
	isUsed: boolean;
}

interface Redirecting {
	redirect(url: string): void;
}

/** A service that gives out each refresh token once, and takes everything back when one comes twice, as real ones do. */
export function createAuthorization(state: OAuthState): OAuthServerProvider {
	const codes = new Map<string, AuthorizationParams>();
	const give = (clientId: string, scopes: string[], resource?: URL): OAuthTokens => {
		const [access, refresh] = [crypto.randomUUID(), crypto.randomUUID()];
		const expiresAt = Date.now() / 1_000 + state.accessSeconds;
		state.access.set(access, { token: access, clientId, scopes, expiresAt, ...(resource && { resource }) });
		state.refresh.set(refresh, { clientId, scopes, resource, isUsed: false });
		return {
			access_token: access,
			token_type: "bearer",
			expires_in: state.accessSeconds,
			refresh_token: refresh,
			scope: scopes.join(" "),
		};
	};
	return {
		clientsStore: {
			getClient: (id) => state.clients.get(id),
			registerClient(client) {
				const registered = { ...client, client_id: crypto.randomUUID(), client_id_issued_at: 0 };
				state.clients.set(registered.client_id, registered);
				return registered;
			},
		},
		async authorize(_client, params, response: Redirecting) {
			state.asked.push(params);
			if (state.denies) throw new AccessDeniedError("the user said no");
			const code = crypto.randomUUID();
			codes.set(code, params);
			const target = new URL(params.redirectUri);
			target.searchParams.set("code", code);
			if (params.state !== undefined) target.searchParams.set("state", params.state);
			response.redirect(target.href);
		},
		async challengeForAuthorizationCode(_client, code) {
			const params = codes.get(code);
			if (params === undefined) throw new InvalidGrantError("unknown code");
			return params.codeChallenge;
		},
		async exchangeAuthorizationCode(client, code) {
			const params = codes.get(code);
			codes.delete(code);
			if (params === undefined) throw new InvalidGrantError("unknown code");
			return give(client.client_id, params.scopes ?? [], params.resource);
		},
		async exchangeRefreshToken(client, token) {
			state.refreshes++;
			if (state.refreshFailure === "down") throw new ServerError("down");
			const kept = state.refresh.get(token);
			if (kept === undefined || kept.clientId !== client.client_id) throw new InvalidGrantError("unknown token");
			if (kept.isUsed) {
				state.reused++;
				state.access.clear();
				state.refresh.clear();
				throw new InvalidGrantError("this token was used before");
			}
			kept.isUsed = true;
			return give(client.client_id, kept.scopes, kept.resource);
		},
		async verifyAccessToken(token) {
			const info = state.access.get(token);
			if (info === undefined) throw new InvalidTokenError("unknown token");
			return info;
		},
		async revokeToken(_client, { token }) {
			state.access.delete(token);
			state.refresh.delete(token);
		},
	};
}
