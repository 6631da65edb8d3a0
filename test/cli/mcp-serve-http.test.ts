/** hermes mcp serve --http: who is let in, clients beside each other, and what becomes of those that go away. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import { connectOverHttp } from "../support/mcp-client.ts";
import { hermesProgram, type RunningHermes, startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tlsFolder } from "../support/web-server.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** A server that listens, and where. */
async function startServer(args: readonly string[], home: string, env: Readonly<Record<string, string>> = {}) {
	const hermes = startHermes(["mcp", "serve", "--http", "--port", "0", ...args], { home, env });
	await hermes.shows("; clients send the key of ");
	const url = /http:\/\/\S+\/mcp/.exec(hermes.shown())?.[0] ?? "";
	return { hermes, url };
}

const home = temporaryFolder();
const keyPath = join(home.path, ".hermes/mcp-serve.key");
let hermes: RunningHermes;
let url: string;
let key: string;

beforeAll(async () => {
	({ hermes, url } = await startServer(["--tools", "--max-sessions", "3"], home.path));
	key = readFileSync(keyPath, "utf8").trim();
});

afterAll(async () => {
	hermes.kill("SIGTERM");
	await hermes.ended;
	home[Symbol.dispose]();
});

const initialize = {
	...{ jsonrpc: "2.0", id: 1, method: "initialize" },
	params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** One request by hand; `headers` may take the usual ones away. */
async function post(headers: Readonly<Record<string, string>>, body: unknown = initialize) {
	const usual = { Authorization: `Bearer ${key}`, Accept: "application/json, text/event-stream" };
	const response = await fetch(url, {
		method: "POST",
		headers: { "Content-Type": "application/json", ...usual, ...headers },
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
	return { status: response.status, headers: response.headers };
}

test("the key is made once, for its owner alone; without it, or with another one, nobody gets in", async () => {
	expect(statSync(keyPath).mode & 0o777).toBe(0o600);
	expect(key).toMatch(/^[\w-]{43}$/);
	const refused = await post({ Authorization: "Bearer wrong" });
	expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="hermes"']);
	const others = ["", `Bearer ${key}x`, `Basic ${key}`, key, "Bearer ", `Bearer ${key.slice(0, -1)}`];
	const statuses = await Promise.all(others.map(async (Authorization) => (await post({ Authorization })).status));
	expect(statuses).toEqual(others.map(() => 401));
	expect(hermes.shown()).not.toContain(key);
	const log = join(home.path, ".hermes/logs/agent.log");
	if (existsSync(log)) expect(readFileSync(log, "utf8")).not.toContain(key);
});

test("a port that another server has is refused, and not shared with it", async () => {
	const second = startHermes(["mcp", "serve", "--http", "--port", new URL(url).port], { home: home.path });
	// One that listens would never end.
	await Promise.race([second.ended, second.shows("; clients send the key of ")]);
	second.kill("SIGTERM");
	const { stderr, exitCode } = await second.ended;
	expect({ stderr, exitCode }).toEqual({
		stderr: expect.stringMatching(/^hermes: Cannot listen on 127\.0\.0\.1: .* Choose another with --port or --host$/m),
		exitCode: 1,
	});
});

test("a page of a stranger is refused whatever it sends", async () => {
	const status = async (headers: Readonly<Record<string, string>>) => (await post(headers)).status;
	expect(await status({ Host: "evil.example" })).toBe(403);
	expect(await status({ Origin: "https://evil.example" })).toBe(403);
	expect(await status({ Origin: "null" })).toBe(403);
});

test("two clients at once have a session each; a third waits for a place when there are too many", async () => {
	await using one = await connectOverHttp(url, key);
	const two = await connectOverHttp(url, key);
	await Promise.all([
		one.call("terminal", { command: "export WHO=one; cd /tmp" }),
		two.call("terminal", { command: "export WHO=two; cd /usr" }),
	]);
	const shown = await Promise.all([one, two].map((client) => client.call("terminal", { command: "echo $WHO $PWD" })));
	expect(shown.map(({ answer }) => answer.output)).toEqual(["one /tmp", "two /usr"]);
	await one.call("terminal", { command: "exec sleep 600", background: true });
	const listed = await Promise.all([one, two].map((client) => client.call("process", { action: "list" })));
	expect(listed.map(({ answer }) => answer.processes.length)).toEqual([1, 0]);
	await using three = await connectOverHttp(url, key);
	expect((await post({})).status).toBe(503);
	await two[Symbol.asyncDispose]();
	await using four = await connectOverHttp(url, key);
	expect((await four.client.listTools()).tools.length).toBeGreaterThan(0);
	expect((await three.client.listTools()).tools.length).toBeGreaterThan(0);
});

test("an unknown session is told so, and a message that is too long is refused unread", async () => {
	expect((await post({ "Mcp-Session-Id": "unknown" }, { jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(404);
	const huge = { jsonrpc: "2.0", id: 1, method: "ping", params: { text: "x".repeat(34_000_000) } };
	expect((await post({}, huge)).status).toBe(413);
	expect((await post({}, "no JSON")).status).toBe(400);
	expect((await fetch(url.replace("/mcp", "/other"), { headers: { Authorization: `Bearer ${key}` } })).status).toBe(
		404,
	);
});

test("what a client has started ends when it says good-bye, and its call when it is cancelled", async () => {
	const client = await connectOverHttp(url, key);
	const cancel = new AbortController();
	const pids = [join(home.path, "background"), join(home.path, "foreground")];
	await client.call("terminal", { command: `echo $$ > ${pids[0]}; exec sleep 600`, background: true });
	const call = client.call(
		"terminal",
		{ command: `echo $BASHPID > ${pids[1]}; echo in the foreground; sleep 600`, timeout: 500 },
		{
			signal: cancel.signal,
			onProgress: ({ message }) => message?.includes("in the foreground") && cancel.abort("enough"),
		},
	);
	expect(call).rejects.toThrow("enough");
	await call.catch(() => undefined);
	await client.call("terminal", { command: "true" });
	const numbers = pids.map((path) => readFileSync(path, "utf8").trim());
	expect(numbers.map((pid) => existsSync(`/proc/${pid}`))).toEqual([true, false]);
	await client[Symbol.asyncDispose]();
	while (existsSync(`/proc/${numbers[0]}`)) await Bun.sleep(20);
});

test("the user of a client over HTTP is asked in the call, each client's own user about its own calls", async () => {
	const asked: string[] = [];
	const elicit = (decision: string) => (message: string) => {
		asked.push(message);
		return { action: "accept" as const, content: { decision } };
	};
	await using willing = await connectOverHttp(url, key, { elicit: elicit("session") });
	await using unwilling = await connectOverHttp(url, key, { elicit: elicit("deny") });
	const dangerous = { command: "mkdir -p a/b && rm -rf a" };
	expect((await willing.call("terminal", dangerous)).isError).toBe(false);
	expect((await unwilling.call("terminal", dangerous)).answer.error).toContain("The user denied this command");
	expect((await willing.call("terminal", dangerous)).isError).toBe(false);
	expect(asked).toHaveLength(2);
	await using unable = await connectOverHttp(url, key);
	expect((await unable.call("terminal", dangerous)).answer.error).toContain("--allow delete-recursive");
});

test("SIGTERM ends what runs, closes every session and lets the port go", async () => {
	using own = temporaryFolder();
	const path = join(own.path, "key");
	writeFileSync(path, "a key of my own, long enough".replaceAll(" ", "-"), { mode: 0o600 });
	const { hermes: server, url: address } = await startServer(["--tools", "--key-file", path], own.path);
	const client = await connectOverHttp(address, "a-key-of-my-own,-long-enough");
	const { promise: started, resolve } = Promise.withResolvers<void>();
	const command = "echo $BASHPID > pid; echo in the foreground; sleep 600";
	const call = client.call(
		"terminal",
		{ command, timeout: 500 },
		{ onProgress: ({ message }) => message?.includes("in the foreground") && resolve() },
	);
	call.catch(() => undefined);
	await started;
	server.kill("SIGTERM");
	const { exitCode, stdout } = await server.ended;
	expect({ exitCode, stdout }).toEqual({ exitCode: 143, stdout: "" });
	expect(existsSync(`/proc/${readFileSync(join(own.path, "pid"), "utf8").trim()}`)).toBe(false);
	expect(fetch(address)).rejects.toThrow();
	await client.client.close();
});

test("a key from a variable is not shown to what runs; a weak one and one that others can read are refused", async () => {
	using own = temporaryFolder();
	const secret = "a-key-that-nobody-may-see";
	const started = await startServer(["--tools", "--key-env", "SERVE_WORD"], own.path, { SERVE_WORD: secret });
	{
		await using client = await connectOverHttp(started.url, secret);
		expect((await client.call("terminal", { command: "env" })).answer.output).not.toContain("SERVE_WORD");
		const told = await client.call("terminal", { command: `echo it is ${secret}, really` });
		expect(told.answer.output).toStartWith("it is ");
		expect(JSON.stringify(told)).not.toContain(secret);
	}
	started.hermes.kill("SIGTERM");
	await started.hermes.ended;
	const path = join(own.path, "key");
	writeFileSync(path, secret, { mode: 0o644 });
	const refused = async (args: readonly string[], env = {}) =>
		(await startHermes(["mcp", "serve", "--http", "--port", "0", ...args], { home: own.path, env }).ended).stderr;
	expect(await refused(["--key-file", path])).toContain("other users can read or write it; run chmod 600 on it");
	expect(await refused(["--key-env", "WEAK"], { WEAK: "short" })).toContain("it has 5 characters, 16 are the least");
});

test("hermes is a client of hermes, over either wire", async () => {
	using own = temporaryFolder();
	mkdirSync(join(own.path, ".hermes"));
	// The server is a hermes that has to start: a busy machine takes longer than a session usually waits.
	writeFileSync(join(own.path, ".hermes/config.yaml"), "mcp: { startup_seconds: 60 }\n");
	const run = async (...args: string[]) => {
		const { stdout, stderr } = await startHermes(args, { home: own.path }).ended;
		return `${stdout}${stderr}`;
	};
	expect(await run("mcp", "add", "near", "--", ...hermesProgram(), "mcp", "serve", "--tools")).toContain("Added near");
	expect(await run("mcp", "add", "--url", url, "--header", `Authorization=Bearer ${key}`, "far")).toContain(
		"Added far",
	);
	const answers = await Promise.all(
		["near", "far"].map((server) =>
			run("tools", "call", `mcp_${server}_terminal`, '{"command":"echo from $((40 + 2))"}'),
		),
	);
	for (const answer of answers) expect(answer).toContain("from 42");
});

test("conversations are served over HTTP as well", async () => {
	using own = temporaryFolder();
	const { hermes: server, url: address } = await startServer([], own.path);
	const ownKey = readFileSync(join(own.path, ".hermes/mcp-serve.key"), "utf8").trim();
	await using client = await connectOverHttp(address, ownKey);
	expect((await client.call("conversations_list", {})).answer).toEqual({ count: 0, conversations: [] });
	server.kill("SIGTERM");
	expect((await server.ended).exitCode).toBe(143);
});

test("--tls-cert and --tls-key make it https, and --json says so in a form for programs", async () => {
	using other = temporaryFolder();
	const [cert = "", tlsKey = ""] = ["server.crt", "server.key"].map((name) => join(tlsFolder, name));
	const args = ["mcp", "serve", "--http", "--port", "0", "--host", "127.0.0.1"];
	const server = startHermes([...args, "--tls-cert", cert, "--tls-key", tlsKey, "--json"], { home: other.path });
	await server.shows('"listening"');
	await server.shows("\n");
	const { time, url: secure, ...said } = JSON.parse(server.shown().trim());
	expect({ isTime: Number.isFinite(Date.parse(time)), ...said }).toEqual({
		...{ isTime: true, event: "listening", is_encrypted: true },
		key_of: join(other.path, ".hermes/mcp-serve.key"),
	});
	const tls = { ca: readFileSync(join(tlsFolder, "authority.crt"), "utf8") };
	expect((await fetch(secure.replace("127.0.0.1", "localhost"), { method: "POST", tls })).status).toBe(401);
	await server.shows('"request_refused"');
	server.kill("SIGTERM");
	await server.ended;
});

test("a certificate that cannot be used is said before anything listens", async () => {
	using other = temporaryFolder();
	const run = async (...args: string[]) =>
		(await runInProcess(["mcp", "serve", ...args], other.path)).stderr.split("\n")[0];
	const cert = join(tlsFolder, "server.crt");
	expect(await run("--http", "--tls-cert", cert)).toContain("Cannot use --tls-cert without --tls-key");
	expect(await run("--json")).toContain("Cannot use --json without --http");
	expect(await run("--http", "--port", "0", "--tls-cert", cert, "--tls-key", cert)).toContain(
		`Cannot use "${cert}" of --tls-key: there is no private key in PEM in it`,
	);
});
