/** The logins of all servers of a process: one for each, so that what one connection renews the others have too. */

import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ClientParts, ServerIdentity, ServerLogin } from "../client-parts.ts";
import type { RemoteSettings } from "../server-settings.ts";
import { loginFiles } from "./login-files.ts";
import { readOAuthSettings } from "./oauth-settings.ts";
import { createRenewal, type Renew } from "./renewal.ts";
import { openSessionLogin } from "./session-login.ts";

/** Logins that are kept in `home` (HERMES_HOME). */
export function createLogins(home: string): NonNullable<ClientParts["login"]> {
	const renewals = new Map<string, Renew>();
	return async ({ name, settings, log }: ServerIdentity<RemoteSettings>, fetch: FetchLike) => {
		if (!mayLogIn(settings)) return undefined;
		const { url } = settings;
		const files = loginFiles(home, { name, url });
		const key = `${name}\0${url}`;
		const renew =
			renewals.get(key) ??
			createRenewal({ serverUrl: url, settings: readOAuthSettings(name, settings.oauth), files, fetch });
		renewals.set(key, renew);
		const onEnded = (reason: string) => log.warning(reason);
		return openSessionLogin({ name, url, files, renew, fetch, onEnded }) satisfies ServerLogin;
	};
}

/** Whoever configured a key of their own is not asked to log in, unless the settings want that too. */
function mayLogIn({ auth, headers }: RemoteSettings): boolean {
	return auth === "oauth" || !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
