/** OpenRouter's login for any program: the browser comes back to this machine with a code, which becomes a key (PKCE, RFC 7636). */

import { z } from "zod";
import { untilAborted } from "../../base/abort.ts";
import { type LoginOptions, ProviderRefused } from "../provider.ts";
import { viaProxy } from "../wire/proxy.ts";

const answerShape = z.object({ key: z.string().min(8) });

/** How long a page may stay open. */
const limitMs = 10 * 60_000;

/**
 * Waits until the user has agreed in the browser.
 * @throws {ProviderRefused} When the user does not agree in time, or the service does not give a key.
 */
export async function openRouterLogin(options: LoginOptions): Promise<string> {
	const { signal, show, baseUrl = "https://openrouter.ai" } = options;
	const verifier = randomText(48);
	const state = randomText(16);
	await using callback = waitForCode(state);
	const url = new URL("/auth", baseUrl);
	url.search = new URLSearchParams({
		callback_url: callback.url,
		code_challenge: new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256",
	}).toString();
	show(url.href);
	const code = await untilAborted(callback.code, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
	return exchangeCode(new URL("/api/v1/auth/keys", baseUrl), { code, verifier }, options);
}

function randomText(bytes: number): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
}

/** Only this machine can reach it, and only a page that knows the path. */
function waitForCode(state: string) {
	const { promise, resolve } = Promise.withResolvers<string>();
	const path = `/callback/${state}`;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			const url = new URL(request.url);
			const code = url.searchParams.get("code");
			if (url.pathname !== path || !code) return new Response("Not found", { status: 404 });
			resolve(code);
			return new Response("hermes is logged in. This page can be closed.");
		},
	});
	return {
		url: `http://localhost:${server.port}${path}`,
		code: promise,
		[Symbol.asyncDispose]: () => server.stop(),
	};
}

async function exchangeCode(
	url: URL,
	{ code, verifier }: { readonly code: string; readonly verifier: string },
	{ signal, network }: LoginOptions,
): Promise<string> {
	const response = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ code, code_verifier: verifier, code_challenge_method: "S256" }),
		redirect: "manual",
		signal,
		...viaProxy(url, network),
	});
	const body = answerShape.safeParse(response.ok ? await response.json().catch(() => undefined) : undefined);
	if (body.success) return body.data.key;
	throw new ProviderRefused("auth", `Cannot log in at "${url.host}": it gave no key (${response.status})`);
}
