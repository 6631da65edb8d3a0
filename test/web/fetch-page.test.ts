import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { UrlRules } from "../../lib/security/url-safety/url-guard.ts";
import { type FetchOptions, fetchPage } from "../../lib/web/fetch/fetch-page.ts";
import { proxyFor } from "../../lib/web/fetch/proxy.ts";
import { html, redirect, startProxy, startWebServer, tlsFolder, typed } from "../support/web-server.ts";

const open: UrlRules = { allowPrivate: true, blockedSites: [] };

async function outcome(address: string, options: Partial<FetchOptions> = {}): Promise<string> {
	const { signal } = new AbortController();
	const page = await fetchPage(address, { rules: open, variables: {}, signal, ...options });
	return page.ok ? `${page.isCut ? "cut: " : ""}${new TextDecoder().decode(page.bytes)}` : page.error;
}

/** Answers with `answers` in turn, the last one for ever. */
function changingNames(rules: UrlRules, answers: readonly string[]): UrlRules & { readonly asked: string[] } {
	const asked: string[] = [];
	return {
		...rules,
		asked,
		resolve: async (host) => {
			asked.push(host);
			return [answers[Math.min(asked.length, answers.length) - 1] ?? ""];
		},
	};
}

describe("fetchPage()", () => {
	test("connects to the address that was checked, whatever the name resolves to afterwards", async () => {
		await using server = startWebServer({ "/": html("mine") });
		const rules = changingNames(open, ["127.0.0.1", "169.254.169.254"]);
		expect(await outcome(`http://rebinding.example:${server.port}/`, { rules })).toBe("mine");
		expect({ asked: rules.asked, seen: server.requests }).toEqual({
			asked: ["rebinding.example"],
			seen: [`rebinding.example:${server.port} /`],
		});
	});

	test("refuses a name that has changed to a private address when it is redirected to itself", async () => {
		await using server = startWebServer({ "/": redirect("/again"), "/again": html("secret") });
		await using proxy = await startProxy(server.port);
		const rules = changingNames({ allowPrivate: false, blockedSites: [] }, ["93.184.216.34", "127.0.0.1"]);
		const variables = { http_proxy: proxy.url };
		const said = await outcome("http://rebinding.example/", { rules, variables });
		expect(said).toStartWith("it redirects to http://rebinding.example/again: 127.0.0.1 is this machine");
		expect(proxy.requests).toEqual(["GET http://93.184.216.34/ HTTP/1.1"]);
	});

	test("connects to nothing but an IP address", async () => {
		await using server = startWebServer({ "/": html("by name") });
		const rules: UrlRules = { ...open, resolve: async () => ["localhost"] };
		const said = await outcome(`http://named.example:${server.port}/`, { rules });
		expect({ said, seen: server.requests }).toEqual({
			said: 'Cannot connect to "localhost": it is no IP address',
			seen: [],
		});
	});

	test("tries the next address when one does not answer", async () => {
		await using server = startWebServer({ "/": html("second") });
		const rules: UrlRules = { ...open, resolve: async () => ["::1", "127.0.0.1"] };
		expect(await outcome(`http://both.example:${server.port}/`, { rules })).toBe("second");
	});

	test("follows redirects of every kind and sends no user names along", async () => {
		await using server = startWebServer({
			"/a": redirect("b?x=1", 301),
			"/b": redirect("//localhost:PORT/c", 307),
			"/c": html("end"),
			"/user": redirect("http://me:secret@127.0.0.1/"),
		});
		expect(await outcome(`${server.url}/user`)).toBe(
			"it redirects to http://me:secret@127.0.0.1/: it has a user name or password in front of the host",
		);
		await using second = startWebServer({ "/b": redirect(`//localhost:${server.port}/c`, 308) });
		expect(await outcome(`${second.url}/b`)).toBe("end");
		expect(server.requests.at(-1)).toBe(`localhost:${server.port} /c`);
	});

	test.each([
		["http://169.254.169.254/latest/", "169.254.169.254 is link-local"],
		["http://[::ffff:169.254.169.254]/", "is link-local"],
		["http://0xa9fea9fe/", "169.254.169.254 is link-local"],
		["http://metadata.google.internal/", "it is the metadata service of a cloud"],
		["file:///etc/passwd", "file: is not http or https"],
		["ftp://127.0.0.1/", "ftp: is not http or https"],
	])("does not follow a redirect to %s", async (target, reason) => {
		await using server = startWebServer({ "/": redirect(target) });
		expect(await outcome(`${server.url}/`)).toContain(reason);
	});

	test("checks a redirect with the user's rules", async () => {
		await using inner = startWebServer({ "/": html("intranet") });
		await using outer = startWebServer({ "/": redirect(`http://localhost:${inner.port}/`) });
		await using proxy = await startProxy(outer.port);
		const rules: UrlRules = { allowPrivate: false, blockedSites: [] };
		const said = await outcome("http://93.184.216.34/", { rules, variables: { HTTP_PROXY: proxy.url } });
		expect(said).toMatch(/^it redirects to http:\/\/localhost:\d+\/: (?:127\.0\.0\.1|::1) is this machine/);
		expect(inner.requests).toEqual([]);
	});

	test("ends redirects that go round, and those without end", async () => {
		let count = 0;
		await using server = startWebServer({
			"/round": redirect("/round2"),
			"/round2": redirect("/round"),
			"/self": redirect("/self"),
			"/on": () => redirect(`/on?${++count}`),
			"/empty": redirect(""),
			"/bad": redirect("http://[bad"),
		});
		expect(await outcome(`${server.url}/round`)).toBe("its redirects go round in a circle");
		expect(await outcome(`${server.url}/self`)).toBe("its redirects go round in a circle");
		expect(await outcome(`${server.url}/on`)).toBe("it redirects more than 5 times");
		expect(await outcome(`${server.url}/empty`)).toBe("its redirects go round in a circle");
		expect(await outcome(`${server.url}/bad`)).toContain("it is not a complete address");
	});

	test("stops at the size limit, also of what was small before it was unpacked", async () => {
		const bomb = Bun.gzipSync(new Uint8Array(8 * 1024 * 1024).fill(97));
		const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
		await using server = startWebServer({
			"/": () => new Response(bomb, { headers }),
			"/exact": typed("12345", "text/plain"),
		});
		expect(await outcome(`${server.url}/`, { limitBytes: 1_000 })).toBe(`cut: ${"a".repeat(1_000)}`);
		expect(await outcome(`${server.url}/exact`, { limitBytes: 5 })).toBe("12345");
	});

	test("stops at the time limit, before the answer and in the middle of it", async () => {
		const endless = () =>
			new Response(new ReadableStream({ start: (controller) => controller.enqueue("x") }), {
				headers: { "content-type": "text/plain" },
			});
		await using server = startWebServer({ "/never": () => new Promise<Response>(() => {}), "/endless": endless });
		const said = await Promise.all(
			["never", "endless"].map((path) => outcome(`${server.url}/${path}`, { limitMs: 300 })),
		);
		expect(said).toEqual(["it did not answer within 0.3 s", "it did not answer within 0.3 s"]);
	});

	test("throws when it is interrupted", async () => {
		await using server = startWebServer({ "/": () => new Promise<Response>(() => {}) });
		const controller = new AbortController();
		const fetching = outcome(server.url, { signal: controller.signal });
		setTimeout(() => controller.abort(new Error("stop")), 50);
		expect(fetching).rejects.toThrow("stop");
		await fetching.catch(() => {});
	});

	test("says what the server said, and downloads no films", async () => {
		await using server = startWebServer({
			"/film": () => typed("film", "video/mp4"),
			"/gone": new Response("x", { status: 410 }),
		});
		expect(await outcome(`${server.url}/film`)).toBe("it is video/mp4, not text");
		expect(await outcome(`${server.url}/gone`)).toBe("the server answered 410 Gone");
		expect(await outcome("http://127.0.0.1:1/")).toBe("the server does not take connections");
	});
});

describe("fetchPage() with TLS", () => {
	async function fetchTrusting(authority: string | undefined, urls: readonly string[]): Promise<string[]> {
		const child = Bun.spawn([process.execPath, join(import.meta.dir, "../support/fetch-pages.ts"), ...urls], {
			env: { PATH: process.env.PATH ?? "", ...(authority && { NODE_EXTRA_CA_CERTS: authority }) },
			stdout: "pipe",
			stderr: "inherit",
		});
		return JSON.parse(await new Response(child.stdout).text());
	}

	test("checks the certificate against the name, not the address", async () => {
		await using server = startWebServer({ "/": html("over TLS") }, { tls: true });
		const urls = ["good.test", "evil.test", "127.0.0.1"].map((host) => `https://${host}:${server.port}/`);
		const [good, evil, address] = await fetchTrusting(join(tlsFolder, "authority.crt"), urls);
		expect({ good, seen: server.requests }).toEqual({ good: "over TLS", seen: [`good.test:${server.port} /`] });
		expect(evil).toStartWith("its certificate cannot be trusted");
		expect(address).toStartWith("its certificate cannot be trusted");
		const [unknown] = await fetchTrusting(undefined, urls);
		expect(unknown).toStartWith("its certificate cannot be trusted");
	});
});

describe("proxies", () => {
	test("fetchPage() tells a proxy the address that was checked, for TLS too", async () => {
		await using server = startWebServer({ "/": html("by proxy") });
		await using proxy = await startProxy(server.port);
		const rules = changingNames({ allowPrivate: false, blockedSites: [] }, ["93.184.216.34"]);
		const variables = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: "93.184.216.34,elsewhere.example" };
		expect(await outcome("http://named.example/", { rules, variables })).toBe("by proxy");
		expect(server.requests).toEqual(["named.example /"]);
		await outcome("https://named.example/", { rules, variables, limitMs: 500 });
		expect(proxy.requests).toEqual(["GET http://93.184.216.34/ HTTP/1.1", "CONNECT 93.184.216.34:443 HTTP/1.1"]);
	});

	test("fetchPage() asks no proxy for what the guard refuses", async () => {
		await using proxy = await startProxy(1);
		const variables = { http_proxy: proxy.url };
		const rules = { allowPrivate: false, blockedSites: [] };
		expect(await outcome("http://127.0.0.1/", { rules, variables })).toContain("this machine");
		expect(await outcome("http://localhost/", { rules, variables })).toContain("this machine");
		expect(proxy.requests).toEqual([]);
	});

	test.each([
		["https://a.example/", { HTTPS_PROXY: "http://p:1" }, "http://p:1"],
		["https://a.example/", { HTTP_PROXY: "http://p:1" }, false],
		["http://a.example/", { http_proxy: "p:1" }, "http://p:1"],
		["http://a.example/", { ALL_PROXY: "http://p:1" }, "http://p:1"],
		["http://a.example/", { http_proxy: "", HTTP_PROXY: "http://p:1" }, "http://p:1"],
		["https://a.example/", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, false],
		["https://x.a.example/", { HTTPS_PROXY: "http://p:1", no_proxy: "b.example, .a.example" }, false],
		["https://a.example/", { HTTPS_PROXY: "http://p:1", no_proxy: "*.a.example" }, false],
		["https://nota.example/", { HTTPS_PROXY: "http://p:1", no_proxy: "a.example" }, "http://p:1"],
		["https://a.example:8443/", { HTTPS_PROXY: "http://p:1", no_proxy: "a.example:443" }, "http://p:1"],
		["https://a.example/", { HTTPS_PROXY: "http://p:1", no_proxy: "a.example:443" }, false],
		["http://[::1]/", { http_proxy: "http://p:1", no_proxy: "[::1]" }, false],
		["http://[::1]/", { http_proxy: "http://p:1", no_proxy: "::1" }, false],
	] as const)("proxyFor(%s) with %j is %s", (url, variables, proxy) => {
		expect(proxyFor(new URL(url), variables)).toBe(proxy);
	});
});
