/** MCP servers that are reached by their address: sessions that end, servers that come and go, and what is sent to whom. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startMcpHttpServer } from "../support/mcp-http-server.ts";
import { openMcp, quick, variables } from "../support/mcp-servers.ts";
import { tlsFolder } from "../support/web-server.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

test("a session that the server has forgotten is made anew, and the call is made once more", async () => {
	await using server = startMcpHttpServer();
	await using mcp = await openMcp({ s: { url: server.url } });
	const first = await mcp.call("mcp_s_echo");
	server.forget();
	const second = await mcp.call("mcp_s_echo");
	expect(second.result).toMatch(/^echo [0-9a-f-]{36}$/);
	expect(second).not.toEqual(first);
	expect(server.requests.filter((request) => request === "POST tools/call")).toHaveLength(3);
	expect(mcp.servers.statuses()).toMatchObject([{ transport: "http", state: "connected", tools: { length: 1 } }]);
});

test("R103: a server that was down at the start is used once it is there", async () => {
	const { port, url } = await (async () => {
		await using gone = startMcpHttpServer();
		return gone;
	})();
	await using mcp = await openMcp({ s: { url } });
	expect(mcp.servers.statuses()).toMatchObject([
		{ state: "failed", problem: "nobody answers at its address (connection refused)" },
	]);
	await using _server = startMcpHttpServer({ port });
	await mcp.until(() => mcp.names().length === 1);
	expect((await mcp.call("mcp_s_echo")).result).toStartWith("echo ");
	expect(mcp.servers.statuses()[0]?.problem).toBeUndefined();
});

test("R115: a server that went and came back with other tools is asked anew", async () => {
	const old = startMcpHttpServer({ tools: ["echo"] });
	await using mcp = await openMcp({ s: { url: old.url } });
	await old[Symbol.asyncDispose]();
	expect((await mcp.call("mcp_s_echo")).error).toContain('Cannot use MCP server "s": ');
	await using _server = startMcpHttpServer({ port: old.port, tools: ["echo", "more"] });
	await mcp.until(() => mcp.names().length === 2);
	expect((await mcp.call("mcp_s_more")).result).toStartWith("more ");
});

test("R116: a remote server says that its tools have changed, and they have", async () => {
	await using server = startMcpHttpServer({ tools: ["echo", "old"] });
	await using mcp = await openMcp({ s: { url: server.url } });
	await mcp.until(() => server.requests.includes("GET"));
	server.change(["echo", "new"]);
	await mcp.until(() => mcp.names().includes("mcp_s_new"));
	expect(mcp.names()).toEqual(["mcp_s_echo", "mcp_s_new"]);
});

test("R104: a silent server is asked whether it is there, and one that ignores that stays connected", async () => {
	await using server = startMcpHttpServer({ ignoresPing: true });
	await using mcp = await openMcp(
		{ s: { url: server.url } },
		{ timing: { ...quick, keepAliveMs: 20, keepAliveLimitMs: 50 } },
	);
	const { result } = await mcp.call("mcp_s_echo");
	await mcp.until(() => server.requests.filter((request) => request === "POST ping").length >= 3);
	expect(await mcp.call("mcp_s_echo")).toEqual({ result });
});

test("a silent server that has forgotten us is connected anew before anybody calls it", async () => {
	await using server = startMcpHttpServer({ tools: ["echo"] });
	await using mcp = await openMcp({ s: { url: server.url } }, { timing: { ...quick, keepAliveMs: 20 } });
	server.forget();
	await mcp.until(() => server.requests.filter((request) => request === "POST tools/list").length === 2);
	await mcp.until(() => mcp.servers.statuses()[0]?.state === "connected");
});

test("configured headers go to the server alone, also when it sends us elsewhere", async () => {
	await using elsewhere = startMcpHttpServer();
	await using server = startMcpHttpServer({ instead: () => Response.redirect(elsewhere.url, 307) });
	await using moved = startMcpHttpServer({
		instead: (request) =>
			new URL(request.url).pathname === "/mcp"
				? new Response(null, { status: 308, headers: { location: "/now" } })
				: undefined,
	});
	const headers = { Authorization: "Bearer mine", "X-Api-Key": "mine" };
	await using mcp = await openMcp({ s: { url: server.url, headers }, moved: { url: moved.url, headers } });
	expect(mcp.servers.statuses()[0]?.problem).toBe(
		`it sends us on to ${elsewhere.url}; if that is right, name that as its url in config.yaml`,
	);
	expect(elsewhere.requests).toEqual([]);
	expect((await mcp.call("mcp_moved_echo")).result).toStartWith("echo ");
	expect(moved.headers.map((sent) => [sent.get("authorization"), sent.get("x-api-key")])).toEqual(
		moved.headers.map(() => ["Bearer mine", "mine"]),
	);
});

test("what an address that is no server says is in the reason, without secrets", async () => {
	const answers = {
		page: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
		login: () => new Response("who are you", { status: 401 }),
		gone: () => new Response("no such page", { status: 404 }),
		broken: () => new Response("password=hunter2 is wrong", { status: 500 }),
	};
	const started = Object.entries(answers).map(([name, instead]) => [name, startMcpHttpServer({ instead })] as const);
	const servers = Object.fromEntries(started.map(([name, { url }]) => [name, { url, headers: { A: "${NOT_SET}" } }]));
	await using mcp = await openMcp(servers, { timing: { ...quick, firstRetryMs: 3_600_000 } });
	const problems = Object.fromEntries(
		mcp.servers.statuses().map(({ name, state, problem }) => [name, [state, problem]]),
	);
	expect(problems).toEqual({
		page: ["failed", "it answers with text/html, as a page for people does; check the url"],
		login: [
			"needs_login",
			expect.stringContaining("set its auth to oauth in config.yaml and run hermes mcp login login"),
		],
		gone: ["failed", "it answered with status 404: no such page"],
		broken: ["failed", "it answered with status 500: password=[REDACTED] is wrong"],
	});
	expect(mcp.log.join("\n")).toContain("A names ${NOT_SET}, which is set neither in .env nor in the environment");
	for (const [, server] of started) await server[Symbol.asyncDispose]();
});

test("certificates are checked as the settings say", async () => {
	const tls = { cert: Bun.file(join(tlsFolder, "server.crt")), key: Bun.file(join(tlsFolder, "server.key")) };
	await using server = startMcpHttpServer({ tls });
	const url = server.url.replace("127.0.0.1", "localhost");
	const servers = {
		plain: { url },
		any: { url, ssl_verify: false },
		own: { url, ssl_verify: join(tlsFolder, "authority.crt") },
		missing: { url, ssl_verify: "/no/such/ca.pem" },
	};
	await using mcp = await openMcp(servers, { timing: { ...quick, firstRetryMs: 3_600_000 } });
	expect(mcp.servers.statuses().map(({ name, state, problem }) => [name, state, problem])).toEqual([
		["plain", "failed", expect.stringContaining("certificate; name the authority to trust with ssl_verify")],
		["any", "connected", undefined],
		["own", "connected", undefined],
		["missing", "failed", expect.stringContaining('Cannot read "/no/such/ca.pem" of ssl_verify')],
	]);
	const trusting = { ...variables, NODE_EXTRA_CA_CERTS: join(tlsFolder, "authority.crt") };
	await using trusted = await openMcp({ plain: { url } }, { variables: trusting });
	expect(trusted.servers.statuses()).toMatchObject([{ state: "connected" }]);
});

test("a server that wants to know us by a certificate is shown it, and no other host is", async () => {
	const [cert, key, authority] = ["server.crt", "server.key", "authority.crt"].map((name) => join(tlsFolder, name));
	const tls = { cert: Bun.file(cert ?? ""), key: Bun.file(key ?? ""), ca: Bun.file(authority ?? "") };
	await using server = startMcpHttpServer({ tls: { ...tls, requestCert: true, rejectUnauthorized: true } });
	const common = { url: server.url.replace("127.0.0.1", "localhost"), ssl_verify: authority };
	const servers = { none: common, own: { ...common, client_cert: cert, client_key: key } };
	await using mcp = await openMcp(servers, { timing: { ...quick, firstRetryMs: 3_600_000 } });
	expect(mcp.servers.statuses().map(({ state }) => state)).toEqual(["failed", "connected"]);
});

test("an answer without end is given up before it fills the memory, and the next call works", async () => {
	const megabyte = "x".repeat(1_000_000);
	let sent = 0;
	const endless = () => {
		const stream = new ReadableStream<string>({
			pull: (controller) => {
				sent++;
				controller.enqueue(megabyte);
			},
		});
		return new Response(stream, { headers: { "content-type": "application/json" } });
	};
	const instead = async (request: Request) => {
		if (request.method !== "POST" || sent > 0) return undefined;
		return (await request.clone().text()).includes('"tools/call"') ? endless() : undefined;
	};
	await using server = startMcpHttpServer({ instead });
	await using mcp = await openMcp({ s: { url: server.url } });
	expect((await mcp.call("mcp_s_echo")).error).toContain("the server sent a message of more than 100 MB");
	expect((await mcp.call("mcp_s_echo")).result).toStartWith("echo ");
	expect(sent).toBeLessThan(300);
});

test("requests go through the proxy that the variables name", async () => {
	await using server = startMcpHttpServer();
	const asked: string[] = [];
	using proxy = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		async fetch(request) {
			asked.push(request.url);
			const { pathname } = new URL(request.url);
			return await fetch(`http://127.0.0.1:${server.port}${pathname}`, request);
		},
	});
	const through = { ...variables, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
	await using mcp = await openMcp({ s: { url: "http://mcp.test/mcp" } }, { variables: through });
	expect((await mcp.call("mcp_s_echo")).result).toStartWith("echo ");
	expect(new Set(asked)).toEqual(new Set(["http://mcp.test/mcp"]));
});
