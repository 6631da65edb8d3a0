/** hermes mcp login and logout, against a real server behind a real OAuth service. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loginFiles } from "../../lib/mcp/auth/login-files.ts";
import { runInProcess } from "../support/command-line.ts";
import { startOAuthMcpServer } from "../support/oauth-mcp-server/start.ts";
import { runHermes, startHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

function configure(home: string, servers: object): void {
	mkdirSync(join(home, ".hermes"), { recursive: true });
	writeFileSync(join(home, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
}

/** The page that hermes asks to open. */
function pageIn(shown: string): string {
	return /http:\/\/127\.0\.0\.1:\d+\/authorize\S+/.exec(shown)?.[0] ?? "";
}

test("hermes mcp login goes through the browser; the tools are there until the logout, which takes the tokens back", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	configure(home.path, { s: { url: server.url, auth: "oauth" } });
	const before = await runInProcess(["mcp", "test", "s"], home.path);
	expect(before.stderr).toContain("it wants to know who you are; run hermes mcp login s");

	const login = startHermes(["mcp", "login", "s"], { home: home.path });
	await login.shows("state=");
	await fetch(pageIn(login.shown()));
	expect(await login.ended).toEqual({
		stdout: "Logged in at s; hermes mcp test s shows its tools\n",
		stderr: expect.stringMatching(/^Open this page in a browser:\nhttp\S+\n$/),
		exitCode: 0,
	});
	expect((await runInProcess(["mcp", "test", "s"], home.path)).stdout).toBe("s: 1 tool\n  whoami\n");
	expect((await runHermes(["tools", "call", "mcp_s_whoami"], { home: home.path })).stdout).toContain("client ");

	expect((await runInProcess(["mcp", "logout", "s"], home.path)).stdout).toBe("Logged out of s\n");
	expect({ access: server.state.access.size, refresh: server.state.refresh.size }).toEqual({ access: 0, refresh: 0 });
	expect((await runInProcess(["mcp", "logout", "s"], home.path)).stdout).toBe("There was no login at s\n");
	expect((await runInProcess(["mcp", "test", "s"], home.path)).stderr).toContain("run hermes mcp login s");
});

test("hermes mcp remove takes the login with it", async () => {
	using home = temporaryFolder();
	const url = "http://127.0.0.1:9/mcp";
	configure(home.path, { s: { url } });
	const files = loginFiles(join(home.path, ".hermes"), { name: "s", url });
	files.saveTokens({ access_token: "a", token_type: "Bearer" });
	expect((await runInProcess(["mcp", "remove", "s"], home.path)).stdout).toBe("Removed s\n");
	expect(files.tokens()).toBeUndefined();
});

test("hermes mcp login takes a pasted address at a terminal, tells of the tunnel over ssh, and can be given up", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	configure(home.path, { s: { url: server.url } });
	const env = { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" };
	await using login = startOnTerminal(["mcp", "login", "s", "--scope", "a b"], { home: home.path, env });
	await login.shows("(skip gives up):");
	const page = pageIn(login.shown());
	expect(new URL(page).searchParams.get("scope")).toBe("a b");
	expect(login.shown()).toMatch(/ssh -L (\d+):127\.0\.0\.1:\1 HOST/);
	const away = await fetch(page, { redirect: "manual" });
	login.type(`${away.headers.get("location")}\r`);
	await login.shows("Logged in at s");
	expect(await login.exitCode).toBe(0);

	// The browser is first while the keyboard is still listened to.
	await using third = startOnTerminal(["mcp", "login", "s"], { home: home.path });
	await third.shows("(skip gives up):");
	await fetch(pageIn(third.shown()));
	await third.shows("Logged in at s");
	expect(await third.exitCode).toBe(0);

	await using other = startOnTerminal(["mcp", "login", "s"], { home: home.path });
	await other.answer("(skip gives up):", "skip");
	await other.shows('Cannot log in at MCP server "s": you gave it up');
	expect(await other.exitCode).toBe(1);
});

test("hermes mcp login says what is wrong with the server", async () => {
	using home = temporaryFolder();
	configure(home.path, {
		local: { command: "x" },
		gone: { url: "http://127.0.0.1:9/mcp" },
		odd: { url: "http://127.0.0.1:9/mcp", oauth: { redirect_port: -1 } },
	});
	const login = async (name: string) => (await runInProcess(["mcp", "login", name], home.path)).stderr;
	expect(await login("none")).toContain("it is not in config.yaml; there is local, gone, odd");
	expect(await login("local")).toContain("it is a process of this machine, which takes its keys from env");
	expect(await login("gone")).toContain('Cannot log in at MCP server "gone": ');
	expect(await login("odd")).toContain("Cannot read mcp_servers.odd.oauth: redirect_port: ");
});

test("a server with a key of its own is not asked to log in", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	configure(home.path, { s: { url: server.url, headers: { Authorization: "Bearer wrong" } } });
	const { stderr } = await runInProcess(["mcp", "test", "s"], home.path);
	expect(stderr).toContain("set its auth to oauth in config.yaml and run hermes mcp login s, or give it a header");
});
