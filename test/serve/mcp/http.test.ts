/** serveHttp(): clients that go away, come back, or are never heard of again. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../../lib/log/logger.ts";
import { type HttpEvent, type ServeHttpOptions, serveHttp } from "../../../lib/serve/mcp/http/serve-http.ts";
import type { Served, ServedCall } from "../../../lib/serve/mcp/served.ts";
import { connectOverHttp } from "../../support/mcp-client.ts";
import { tlsFolder } from "../../support/web-server.ts";

setDefaultTimeout(30_000);

const key = "a-key-of-the-tests-alone";

/** A server with one tool that waits until the test lets it go, and what became of its sessions. */
function startServer(options: Partial<ServeHttpOptions> = {}, isClosable: Promise<unknown> = Promise.resolve()) {
	const seen = { opened: 0, closed: 0 };
	const calls: { call: ServedCall; answer(text: string): void; readonly aborted: Promise<unknown> }[] = [];
	let onChange = () => {};
	const served: Served = {
		name: "waiting",
		version: "1",
		instructions: "",
		openSession() {
			seen.opened++;
			return {
				tools: async () => [{ name: "wait", inputSchema: { type: "object" } }],
				async call(call) {
					const { promise, resolve, reject } = Promise.withResolvers<string>();
					const { promise: aborted, resolve: abort } = Promise.withResolvers<unknown>();
					call.signal.addEventListener("abort", () => {
						abort(call.signal.reason);
						reject(call.signal.reason);
					});
					calls.push({ call, answer: resolve, aborted });
					onChange();
					return { content: [{ type: "text", text: JSON.stringify(await promise) }] };
				},
				async [Symbol.asyncDispose]() {
					await isClosable;
					seen.closed++;
					onChange();
				},
			};
		},
	};
	const server = serveHttp({ served, log: silentLogger, port: 0, key, ...options });
	/** Resolves when `is` says so; asked after every change. */
	const until = async (is: () => boolean) => {
		while (!is()) {
			await new Promise<void>((resolve) => {
				onChange = resolve;
			});
		}
	};
	return { server, seen, calls, until, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const protocolVersion = "2025-11-25";

/** Requests by hand, so that connections break where the test wants it. */
async function openByHand(url: string) {
	const usual = { Authorization: `Bearer ${key}`, Accept: "application/json, text/event-stream" };
	const post = (body: object, headers = {}, signal?: AbortSignal) =>
		fetch(url, {
			method: "POST",
			headers: { ...usual, "Content-Type": "application/json", ...headers },
			body: JSON.stringify({ jsonrpc: "2.0", ...body }),
			...(signal && { signal }),
		});
	const clientInfo = { name: "hand", version: "1" };
	const began = await post({ id: 1, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } });
	await began.text();
	const session = {
		"Mcp-Session-Id": began.headers.get("mcp-session-id") ?? "",
		"Mcp-Protocol-Version": protocolVersion,
	};
	await post({ method: "notifications/initialized" }, session);
	return {
		post: (body: object, signal?: AbortSignal) => post(body, session, signal),
		get: (lastEventId?: string, signal?: AbortSignal) =>
			fetch(url, {
				headers: { ...usual, ...session, ...(lastEventId && { "Last-Event-ID": lastEventId }) },
				...(signal && { signal }),
			}),
	};
}

const call = { id: 2, method: "tools/call", params: { name: "wait", arguments: {} } };

test("a client whose connection breaks in a call comes back for the result", async () => {
	await using scene = startServer();
	const hand = await openByHand(scene.server.url);
	const broken = new AbortController();
	const response = await hand.post(call, broken.signal);
	const reader = response.body?.getReader();
	const first = new TextDecoder().decode((await reader?.read())?.value);
	const [, id = ""] = /^id: (\S+)/m.exec(first) ?? [];
	expect(id).not.toBe("");
	await scene.until(() => scene.calls.length === 1);
	broken.abort();
	scene.calls[0]?.answer("it is done");
	const resumed = await hand.get(id);
	const decoder = new TextDecoder();
	let text = "";
	// The stream stays open for whatever else may come.
	for await (const chunk of resumed.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.includes("it is done")) break;
	}
	expect(text).toContain("it is done");
	expect(scene.calls[0]?.call.signal.aborted).toBe(false);
});

test("a client that listens is told at once that it is heard, before there is any news", async () => {
	await using scene = startServer();
	const hand = await openByHand(scene.server.url);
	// The first sign of life of the protocol's own would come after 15 seconds.
	const response = await hand.get(undefined, AbortSignal.timeout(10_000));
	expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
	await response.body?.cancel();
});

test("a client that does not come back has its call interrupted, and is forgotten", async () => {
	await using scene = startServer({ absentMs: 600, idleMs: 600 });
	const hand = await openByHand(scene.server.url);
	const broken = new AbortController();
	await hand.post(call, broken.signal);
	await scene.until(() => scene.calls.length === 1);
	broken.abort();
	expect(String(await scene.calls[0]?.aborted)).toContain("its client has gone away");
	await scene.until(() => scene.seen.closed === 1);
	expect(scene.server.clientCount).toBe(0);
	expect((await hand.post({ id: 3, method: "ping" })).status).toBe(404);
});

test("a client that listens is not idle; one that has said good-bye is gone at once", async () => {
	await using scene = startServer({ absentMs: 600, idleMs: 600 });
	const client = await connectOverHttp(scene.server.url, key);
	const waiting = client.call("wait", {});
	await scene.until(() => scene.calls.length === 1);
	// Longer than both limits: what counts is that it is still connected.
	await Bun.sleep(1_000);
	scene.calls[0]?.answer("late");
	expect((await waiting).answer).toBe("late");
	await client[Symbol.asyncDispose]();
	await scene.until(() => scene.seen.closed === 1);
});

test("closing the server interrupts the calls of everybody and closes every session", async () => {
	const scene = startServer();
	const clients = await Promise.all([1, 2, 3].map(() => connectOverHttp(scene.server.url, key)));
	const waiting = clients.map((client) => client.call("wait", {}).then(String, () => "failed"));
	await scene.until(() => scene.calls.length === 3);
	await scene.server[Symbol.asyncDispose]();
	expect(scene.seen).toEqual({ opened: 3, closed: 3 });
	expect(scene.calls.map(({ call: { signal } }) => signal.aborted)).toEqual([true, true, true]);
	await Promise.all(clients.map(({ client }) => client.close()));
	expect(await Promise.all(waiting)).toEqual(["failed", "failed", "failed"]);
});

test("closing the server waits for clients that are being put away already", async () => {
	const { promise: isClosable, resolve } = Promise.withResolvers<void>();
	const scene = startServer({}, isClosable);
	const client = await connectOverHttp(scene.server.url, key);
	await client.client.listTools();
	await client[Symbol.asyncDispose]();
	expect(scene.server.clientCount).toBe(0);
	const closed = Promise.resolve(scene.server[Symbol.asyncDispose]());
	expect(await Promise.race([closed.then(() => "closed"), Bun.sleep(50).then(() => "waits")])).toBe("waits");
	resolve();
	await closed;
	expect(scene.seen).toEqual({ opened: 1, closed: 1 });
});

test("what is no beginning of a session opens none", async () => {
	await using scene = startServer();
	const response = await fetch(scene.server.url, {
		method: "POST",
		headers: {
			Authorization: `Bearer ${key}`,
			Accept: "application/json, text/event-stream",
			"Content-Type": "application/json",
		},
		body: JSON.stringify({ jsonrpc: "2.0", ...call }),
	});
	expect(response.status).toBe(400);
	expect([scene.server.clientCount, scene.calls.length]).toEqual([0, 0]);
});

test("names that the operator allows are let in, in any letters; without a key everybody is", async () => {
	await using scene = startServer({ key: undefined, allowedHosts: ["My.Host"] });
	const status = async (headers: Readonly<Record<string, string>>) =>
		(await fetch(scene.server.url, { method: "GET", headers })).status;
	// 406 and not 403: it was let in, and does not want what is sent.
	expect(await status({ Host: "my.host:8000" })).toBe(406);
	expect(await status({ Host: "MY.HOST", Origin: "https://my.host" })).toBe(406);
	expect(await status({ Host: "192.0.2.7:80" })).toBe(406);
	expect(await status({ Host: "my.host.evil.example" })).toBe(403);
	expect(await status({ Host: "my.host", Origin: "https://192.0.2.7" })).toBe(403);
});

test("serveHttp() with a certificate speaks https alone, and tells what happens at the door without saying who came", async () => {
	const [cert = "", tlsKey = "", ca] = ["server.crt", "server.key", "authority.crt"].map((name) =>
		readFileSync(join(tlsFolder, name), "utf8"),
	);
	const events: HttpEvent[] = [];
	await using scene = startServer({ tls: { cert, key: tlsKey }, onEvent: (event) => void events.push(event) });
	const url = scene.server.url.replace("127.0.0.1", "localhost");
	expect(url).toStartWith("https://");
	const send = (headers: Record<string, string>, body?: object) =>
		fetch(url, {
			method: body === undefined ? "DELETE" : "POST",
			headers: { Accept: "application/json, text/event-stream", "Content-Type": "application/json", ...headers },
			...(body && { body: JSON.stringify(body) }),
			...(ca !== undefined && { tls: { ca } }),
		});
	const Authorization = `Bearer ${key}`;
	const params = { protocolVersion, capabilities: {}, clientInfo: { name: "hand", version: "1" } };
	const begin = { jsonrpc: "2.0", id: 1, method: "initialize", params };
	expect((await send({}, begin)).status).toBe(401);
	const began = await send({ Authorization }, begin);
	await began.text();
	await send({ Authorization, "Mcp-Session-Id": began.headers.get("mcp-session-id") ?? "" });
	expect(events).toEqual([
		{ event: "request_refused", reason: "no key, or a wrong one" },
		{ event: "client_opened", clients: 1 },
		{ event: "client_closed", clients: 0 },
	]);
	await expect(fetch(url.replace("https:", "http:"))).rejects.toThrow();
});
