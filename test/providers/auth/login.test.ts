import { describe, expect, test } from "bun:test";
import { openRouterLogin } from "../../../lib/providers/auth/open-router-login.ts";
import { ProviderRefused } from "../../../lib/providers/provider.ts";

/** A service that checks the code and its verifier as RFC 7636 says. */
function startService(status = 200) {
	let challenge = "";
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { code, code_verifier: verifier } = (await request.json()) as Record<string, string>;
			const digest = new Bun.CryptoHasher("sha256").update(verifier ?? "").digest("base64url");
			if (code !== "the-code" || digest !== challenge) return new Response("no", { status: 403 });
			return Response.json({ key: "sk-or-v1-fresh" }, { status });
		},
	});
	/** What the browser does: it comes back to the address that it was told. */
	const agree = async (page: string, code = "the-code") => {
		const { searchParams } = new URL(page);
		challenge = searchParams.get("code_challenge") ?? "";
		const back = new URL((searchParams.get("callback_url") ?? "").replace("localhost", "127.0.0.1"));
		const elsewhere = await fetch(new URL("/callback/guessed?code=evil", back));
		back.searchParams.set("code", code);
		return [elsewhere.status, (await fetch(back)).status];
	};
	return { url: server.url.href, agree, [Symbol.asyncDispose]: () => server.stop(true) };
}

describe("openRouterLogin()", () => {
	test("openRouterLogin() gets a key for the code that comes back, and takes none from a guessed address", async () => {
		await using service = startService();
		const statuses = Promise.withResolvers<number[]>();
		const key = await openRouterLogin({
			signal: new AbortController().signal,
			network: {},
			baseUrl: service.url,
			show: (page) => void service.agree(page).then(statuses.resolve, statuses.reject),
		});
		expect([key, await statuses.promise]).toEqual(["sk-or-v1-fresh", [404, 200]]);
	});

	test("openRouterLogin() says that the service gave no key, and ends when it is interrupted", async () => {
		await using service = startService();
		const options = { network: {}, baseUrl: service.url, signal: new AbortController().signal };
		const refused = await openRouterLogin({
			...options,
			show: (page) => void service.agree(page, "stale").catch(() => undefined),
		}).catch((cause: unknown) => cause);
		expect(refused).toBeInstanceOf(ProviderRefused);
		expect(String(refused)).toEndWith("it gave no key (403)");
		const stop = new AbortController();
		const interrupted = openRouterLogin({ ...options, signal: stop.signal, show: () => stop.abort() });
		expect(await interrupted.catch((cause: unknown) => (cause instanceof Error ? cause.name : ""))).toBe("AbortError");
	});
});
