/** Logins at MCP servers: a real server behind a real OAuth service, and a browser that clicks yes. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { LoginDenied } from "../../../lib/mcp/auth/callback-server.ts";
import { type LoginOptions, logIn } from "../../../lib/mcp/auth/log-in.ts";
import { loginFiles } from "../../../lib/mcp/auth/login-files.ts";
import { type OAuthSettings, readOAuthSettings } from "../../../lib/mcp/auth/oauth-settings.ts";
import { createRenewal } from "../../../lib/mcp/auth/renewal.ts";
import { openSessionLogin } from "../../../lib/mcp/auth/session-login.ts";
import { type OAuthMcpServer, startOAuthMcpServer } from "../../support/oauth-mcp-server/start.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

setDefaultTimeout(60_000);

const never = new AbortController().signal;

/** One home with one server in it. */
function scene(home: string, server: OAuthMcpServer, oauth: Partial<OAuthSettings> = {}) {
	const settings = readOAuthSettings("s", oauth);
	const files = loginFiles(home, { name: "s", url: server.url });
	const ended: string[] = [];
	const renew = createRenewal({ serverUrl: server.url, settings, files, fetch });
	const session = () =>
		openSessionLogin({ name: "s", url: server.url, files, renew, fetch, onEnded: (reason) => void ended.push(reason) });
	return {
		files,
		ended,
		renew,
		session,
		login: (more: Partial<LoginOptions> = {}) =>
			logIn({ url: server.url, settings, files, fetch, signal: never, show: browse, ...more }),
		async connect() {
			const client = new Client({ name: "test", version: "1" });
			const transport = new StreamableHTTPClientTransport(new URL(server.url), { fetch: session().fetch });
			await client.connect(transport);
			return { client, [Symbol.asyncDispose]: () => client.close() };
		},
	};
}

/** What a browser does: it goes where it is sent. */
function browse(page: string): void {
	void fetch(page).then((response) => response.text());
}

async function whoAmI(client: Client): Promise<unknown> {
	return (await client.callTool({ name: "whoami", arguments: {} })).content;
}

const known = [{ type: "text", text: expect.stringMatching(/^client [\w-]+$/) }];

test("logIn() finds the service, registers, and keeps what only its user can read; a second login needs no registration", async () => {
	await using server = await startOAuthMcpServer({ scopes: ["mail.read"] });
	using home = temporaryFolder();
	const { login, connect, files } = scene(home.path, server);
	await login();
	await using connection = await connect();
	expect(await whoAmI(connection.client)).toEqual(known);
	const folder = join(home.path, "mcp-tokens");
	expect(statSync(folder).mode & 0o777).toBe(0o700);
	expect(
		readdirSync(folder)
			.map((name) => [name, statSync(join(folder, name)).mode & 0o777])
			.sort(),
	).toEqual([
		["s.client.json", 0o600],
		["s.json", 0o600],
		["s.lock", expect.any(Number)],
		["s.meta.json", 0o600],
	]);
	expect(server.state.asked[0]).toMatchObject({
		scopes: ["mail.read"],
		resource: new URL(server.url),
		codeChallenge: expect.stringMatching(/^[\w-]{43}$/),
		redirectUri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
	});
	const first = files.tokens()?.access_token;
	await login();
	expect(files.tokens()?.access_token).not.toBe(first);
	expect(server.state.clients.size).toBe(1);
});

test("logIn() works where nothing says where the service is", async () => {
	await using server = await startOAuthMcpServer({ withoutMetadata: true });
	using home = temporaryFolder();
	const { login, connect } = scene(home.path, server);
	await login();
	await using connection = await connect();
	expect(await whoAmI(connection.client)).toEqual(known);
});

test("logIn() takes a pasted address in the place of the browser, but none of another login", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const { login, files } = scene(home.path, server);
	let page = "";
	const pasted: string[] = [];
	await login({
		show: (shown) => {
			page = shown;
		},
		async paste() {
			if (pasted.length === 0) pasted.push("http://127.0.0.1:1/callback?code=stolen&state=other");
			else pasted.push((await fetch(page, { redirect: "manual" })).headers.get("location") ?? "");
			return pasted.at(-1);
		},
	});
	expect({ pastes: pasted.length, token: files.tokens() !== undefined }).toEqual({ pastes: 2, token: true });
});

test("logIn() ends with the reason when the user says no, gives up or does not come back, and keeps nothing", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const { login, files } = scene(home.path, server, { timeout: 0.2 });
	server.state.denies = true;
	await expect(login()).rejects.toThrow(new LoginDenied("access_denied: the user said no"));
	await expect(login({ show() {}, paste: async () => "skip" })).rejects.toThrow("you gave it up");
	await expect(login({ show() {} })).rejects.toThrow("nobody came back within 0.2 s");
	expect({ tokens: files.tokens(), client: files.client() }).toEqual({ tokens: undefined, client: undefined });
});

test("logIn() ignores a callback with another state", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const { login, files } = scene(home.path, server);
	const statuses: number[] = [];
	await login({
		async show(page, callback) {
			statuses.push((await fetch(`${callback}?code=stolen&state=guessed`)).status);
			statuses.push((await fetch(`${callback}?code=stolen`)).status);
			statuses.push((await fetch(page)).status);
		},
	});
	expect({ statuses, isKnown: server.state.access.has(files.tokens()?.access_token ?? "") }).toEqual({
		statuses: [400, 400, 200],
		isKnown: true,
	});
});

test("logIn() says which port is taken, and what to do", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
	const { login } = scene(home.path, server, { redirect_port: taken.port ?? 0 });
	await expect(login()).rejects.toThrow(
		`Cannot listen on port ${taken.port} for the browser: it is taken; end what uses it, or set oauth.redirect_port to another one or to 0`,
	);
	await taken.stop();
});

test("R113: a token that ends is renewed within a running session", async () => {
	await using server = await startOAuthMcpServer({ accessSeconds: 0.4 });
	using home = temporaryFolder();
	const { login, connect, files } = scene(home.path, server);
	await login();
	await using connection = await connect();
	const tokens = new Set<string>();
	for (let call = 0; call < 3; call++) {
		expect(await whoAmI(connection.client)).toEqual(known);
		tokens.add(files.tokens()?.access_token ?? "");
		// The token must have ended; only time does that.
		await Bun.sleep(500);
	}
	expect({ tokens: tokens.size, sessions: server.sessions(), reused: server.state.reused }).toEqual({
		tokens: 3,
		sessions: 1,
		reused: 0,
	});
});

test("a token that the server refuses is renewed once, within the same session", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const { login, connect } = scene(home.path, server);
	await login();
	await using connection = await connect();
	server.state.access.clear();
	expect(await Promise.all([whoAmI(connection.client), whoAmI(connection.client)])).toEqual([known, known]);
	expect({ refreshes: server.state.refreshes, sessions: server.sessions() }).toEqual({ refreshes: 1, sessions: 1 });
});

test("a refresh token that was taken back ends the login with what to do, once; a new login is found by the session", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const { login, connect, files, ended, session } = scene(home.path, server);
	await login();
	await using connection = await connect();
	server.state.access.clear();
	server.state.refresh.clear();
	const advice = "run hermes mcp login s";
	// The stream of the server's own messages may be the first that is refused.
	expect(await whoAmI(connection.client).catch(String)).toContain(advice);
	await expect(whoAmI(connection.client)).rejects.toThrow(advice);
	expect(ended).toEqual([`the service has ended the login (invalid_grant); ${advice}`]);
	expect({ tokens: files.tokens(), refreshes: server.state.refreshes }).toEqual({ tokens: undefined, refreshes: 1 });
	expect(await session().recover(never)).toBe(false);
	await login();
	expect(await session().recover(never)).toBe(true);
	expect(await whoAmI(connection.client)).toEqual(known);
});

test("R118: a renewal that is answered with a page, or not at all, says so and leaves the login as it is", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const { login, connect, files } = scene(home.path, server);
	await login();
	await using connection = await connect();
	for (const failure of ["page", "down"] as const) {
		server.state.refreshFailure = failure;
		server.state.access.clear();
		await expect(whoAmI(connection.client)).rejects.toThrow("Cannot renew the login: ");
		expect(files.tokens()?.refresh_token).toBeString();
	}
	server.state.refreshFailure = "none";
	expect(await whoAmI(connection.client)).toEqual(known);
});

test("a login that does not reach far enough says how to widen it", async () => {
	await using server = await startOAuthMcpServer({ scopes: ["mail.send"] });
	using home = temporaryFolder();
	const { login, connect } = scene(home.path, server);
	await login({ scope: "mail.send" });
	await using connection = await connect();
	for (const info of server.state.access.values()) info.scopes.length = 0;
	await expect(whoAmI(connection.client)).rejects.toThrow(
		'the login does not reach far enough; run hermes mcp login s --scope "mail.send"',
	);
});

test("nobody is logged in: the server's 401 says what to do, and nothing is registered", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	await expect(scene(home.path, server).connect()).rejects.toThrow(
		"it wants to know who we are; run hermes mcp login s",
	);
	expect(server.state.clients.size).toBe(0);
});

test("tokens go to the address that they were given for, and to no other", async () => {
	await using server = await startOAuthMcpServer();
	await using other = await startOAuthMcpServer();
	using home = temporaryFolder();
	await scene(home.path, server).login();
	const moved = scene(home.path, other);
	expect(moved.files.tokens()).toBeUndefined();
	await expect(moved.connect()).rejects.toThrow("it wants to know who we are");
	const seen: (string | null)[] = [];
	using elsewhere = listen((request) => seen.push(request.headers.get("authorization")));
	await scene(home.path, server).session().fetch(elsewhere.url);
	expect(seen).toEqual([null]);
});

test("processes that renew at once lose no token", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const { login, connect, files } = scene(home.path, server);
	await login();
	const refused = files.tokens()?.access_token ?? "";
	server.state.access.clear();
	const process_ = [process.execPath, join(import.meta.dir, "renewing-process.ts"), home.path, server.url, refused];
	const env = { PATH: process.env.PATH ?? "" };
	const runs = await Promise.all(Array.from({ length: 3 }, () => runProgram(process_, { cwd: home.path, env })));
	const given = runs.map(({ stdout, stderr }) => stdout.trim() || stderr);
	expect(given).toEqual(given.map(() => files.tokens()?.access_token ?? ""));
	expect({ refreshes: server.state.refreshes, reused: server.state.reused }).toEqual({ refreshes: 1, reused: 0 });
	await using connection = await connect();
	expect(await whoAmI(connection.client)).toEqual(known);
});

test("a client that was registered by hand is used as it is", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
	const port = free.port ?? 0;
	await free.stop();
	server.state.clients.set("mine", {
		client_id: "mine",
		client_secret: "sesame",
		redirect_uris: [`http://127.0.0.1:${port}/callback`],
	});
	const own = { client_id: "mine", client_secret: "sesame", redirect_port: port };
	const { login, connect, files } = scene(home.path, server, own);
	await login();
	server.state.access.clear();
	await using connection = await connect();
	expect(await whoAmI(connection.client)).toEqual([{ type: "text", text: "client mine" }]);
	expect({ client: files.client(), refreshes: server.state.refreshes }).toEqual({ client: undefined, refreshes: 1 });
	expect(readFileSync(join(home.path, "mcp-tokens/s.json"), "utf8")).not.toContain("sesame");
});

test("readOAuthSettings() names what is wrong", () => {
	expect(() => readOAuthSettings("s", { redirect_port: 70_000 })).toThrow(
		"Cannot read mcp_servers.s.oauth: redirect_port: ",
	);
	expect(() => readOAuthSettings("s", { client_metadata_url: "http://x/y" })).toThrow("client_metadata_url");
});

function listen(seen: (request: Request) => void): { readonly url: string } & Disposable {
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			seen(request);
			return new Response();
		},
	});
	return { url: server.url.href, [Symbol.dispose]: () => void server.stop(true) };
}
