/** Tells a service that a login is over, so that its tokens are of no use to whoever finds them. */

import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { attemptAsync } from "../../base/attempt.ts";
import type { LoginFiles } from "./login-files.ts";
import type { OAuthSettings } from "./oauth-settings.ts";
import { ownClient } from "./renewal.ts";

const limitMs = 10_000;

/** True when the service has said that it did (RFC 7009); false where it cannot, or could not be asked. */
export async function revoke({
	files,
	settings,
	fetch,
	signal,
}: {
	readonly files: LoginFiles;
	readonly settings: OAuthSettings;
	readonly fetch: FetchLike;
	readonly signal: AbortSignal;
}): Promise<boolean> {
	const kept = files.tokens();
	const client = ownClient(settings) ?? files.client();
	const metadata = files.discovery()?.authorizationServerMetadata;
	const endpoint = metadata && "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
	if (kept === undefined || client === undefined || typeof endpoint !== "string") return false;
	const tell = async (token: string, hint: string) => {
		const secret = client.client_secret === undefined ? {} : { client_secret: client.client_secret };
		const response = await fetch(endpoint, {
			method: "POST",
			headers: { "content-type": "application/x-www-form-urlencoded" },
			body: new URLSearchParams({ token, token_type_hint: hint, client_id: client.client_id, ...secret }),
			signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
		});
		await response.body?.cancel();
		if (!response.ok) throw new Error(`the service answered ${response.status}`);
	};
	// The one that renews first: with it gone, most services take the other back as well.
	const told = await attemptAsync(async () => {
		if (kept.refresh_token !== undefined) await tell(kept.refresh_token, "refresh_token");
		await tell(kept.access_token, "access_token");
	});
	return told.ok;
}
