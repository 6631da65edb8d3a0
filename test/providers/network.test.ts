import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import custom from "../../lib/providers/custom.ts";
import { networkOf } from "../../lib/providers/network.ts";
import { type Network, ProviderRefused } from "../../lib/providers/provider.ts";
import { viaProxy } from "../../lib/providers/wire/proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tlsFolder } from "../support/web-server.ts";

const answer = () =>
	new Response(
		`data: ${JSON.stringify({ choices: [{ delta: { content: "ok" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
		{ headers: { "content-type": "text/event-stream" } },
	);

async function ask(baseUrl: string, network: Network): Promise<string> {
	const client = await custom.open({ baseUrl, apiKey: "sk-1234567890", stallSeconds: 20, network });
	const request = { model: "m", messages: [{ role: "user" as const, content: "hi" }], tools: [] };
	try {
		const chunks = await Array.fromAsync(client.complete(request, new AbortController().signal));
		return chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : [])).join("");
	} catch (cause) {
		if (!(cause instanceof ProviderRefused)) throw cause;
		return cause.message;
	}
}

describe("network", () => {
	test("networkOf() reads proxies and authorities as other programs do", () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "ca.pem");
		writeFileSync(path, "PEM");
		expect([
			networkOf({}),
			networkOf({ https_proxy: "proxy.test:3128", NO_PROXY: "a.test" }),
			networkOf({ ALL_PROXY: "http://p:1", HTTP_PROXY: "http://q:2", NODE_EXTRA_CA_CERTS: path }),
		]).toEqual([
			{},
			{ httpsProxy: "http://proxy.test:3128/", noProxy: "a.test" },
			{ httpProxy: "http://q:2/", httpsProxy: "http://p:1/", authorities: "PEM" },
		]);
		expect(() => networkOf({ HTTPS_PROXY: "socks5://user:planted@host" })).toThrow(
			"Cannot use HTTPS_PROXY: it is not the address of an http or https proxy",
		);
		expect(() => networkOf({ SSL_CERT_FILE: "/nowhere/ca.pem" })).toThrow(
			/^Cannot read "\/nowhere\/ca.pem" of SSL_CERT_FILE/,
		);
	});

	test("viaProxy() leaves out this machine and what NO_PROXY names", () => {
		const network = {
			httpProxy: "http://p:1",
			httpsProxy: "http://p:2",
			noProxy: "inner.test, .sub.test,10.0.0.1:8080",
		};
		const through = (url: string) => viaProxy(new URL(url), network).proxy;
		expect(
			[
				"https://api.test/v1",
				"http://api.test/v1",
				"https://inner.test",
				"https://a.inner.test",
				"https://notinner.test",
				"https://a.sub.test",
				"http://10.0.0.1:8080",
				"http://10.0.0.1:9090",
				"http://localhost:1",
				"http://127.0.0.1:1",
				"http://[::1]:1",
			].map(through),
		).toEqual([
			"http://p:2",
			"http://p:1",
			false,
			false,
			"http://p:2",
			false,
			false,
			"http://p:1",
			false,
			false,
			false,
		]);
	});

	test("complete() goes through the proxy", async () => {
		const seen: string[] = [];
		await using proxy = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request) => {
				seen.push(`${request.headers.get("host")} ${request.headers.get("authorization")}`);
				return answer();
			},
		});
		expect(await ask("http://models.test/v1", { httpProxy: proxy.url.href })).toBe("ok");
		expect(seen).toEqual(["models.test Bearer sk-1234567890"]);
	});

	test("complete() trusts an authority that is named, and no other one", async () => {
		const read = (name: string) => readFileSync(join(tlsFolder, name), "utf8");
		await using server = Bun.serve({
			port: 0,
			tls: { cert: read("server.crt"), key: read("server.key") },
			fetch: answer,
		});
		const url = `https://localhost:${server.port}/v1`;
		expect(await ask(url, { authorities: read("authority.crt") })).toBe("ok");
		expect(await ask(url, {})).toEndWith("name yours with NODE_EXTRA_CA_CERTS");
	});
});
