/** What becomes of a session when the login at one of its servers ends, and when there is a new one. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { logIn } from "../../../lib/mcp/auth/log-in.ts";
import { loginFiles } from "../../../lib/mcp/auth/login-files.ts";
import { createLogins } from "../../../lib/mcp/auth/logins.ts";
import { readOAuthSettings } from "../../../lib/mcp/auth/oauth-settings.ts";
import { openMcp } from "../../support/mcp-servers.ts";
import { type OAuthMcpServer, startOAuthMcpServer } from "../../support/oauth-mcp-server/start.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

setDefaultTimeout(60_000);

function login(home: string, name: string, { url }: Pick<OAuthMcpServer, "url">): Promise<void> {
	return logIn({
		url,
		settings: readOAuthSettings(name, {}),
		files: loginFiles(home, { name, url }),
		fetch,
		signal: AbortSignal.timeout(30_000),
		show: (page) => void fetch(page).then((response) => response.text()),
	});
}

test("a login that is taken back in a session stops its server alone, until there is a new one", async () => {
	await using lost = await startOAuthMcpServer();
	await using kept = await startOAuthMcpServer();
	using home = temporaryFolder();
	await Promise.all([login(home.path, "lost", lost), login(home.path, "kept", kept)]);
	const servers = { lost: { url: lost.url }, kept: { url: kept.url } };
	await using mcp = await openMcp(servers, { parts: { login: createLogins(home.path) } });
	const known = { result: expect.stringContaining("client ") };
	expect(await mcp.call("mcp_lost_whoami")).toEqual(known);

	lost.state.access.clear();
	lost.state.refresh.clear();
	const advice = "the service has ended the login (invalid_grant); run hermes mcp login lost";
	expect((await mcp.call("mcp_lost_whoami")).error).toContain(advice);
	expect(mcp.servers.statuses()).toMatchObject([
		{ name: "lost", state: "needs_login", problem: expect.stringContaining("run hermes mcp login lost") },
		{ name: "kept", state: "connected" },
	]);
	expect(mcp.log.filter((line) => line.includes(advice))).not.toEqual([]);
	expect(await mcp.call("mcp_kept_whoami")).toEqual(known);

	await login(home.path, "lost", lost);
	expect(await mcp.call("mcp_lost_whoami")).toEqual(known);
	expect(mcp.servers.statuses()).toMatchObject([{ name: "lost", state: "connected" }, { name: "kept" }]);
});

test("R115: a server that nobody has logged in at brings its tools to a session that runs, once somebody has", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	const servers = { s: { url: server.url, auth: "oauth" } };
	await using mcp = await openMcp(servers, { parts: { login: createLogins(home.path) } });
	expect(mcp.servers.statuses()).toMatchObject([
		{ state: "needs_login", problem: "it wants to know who you are; run hermes mcp login s" },
	]);
	await login(home.path, "s", server);
	await mcp.until(() => mcp.names().includes("mcp_s_whoami"));
	expect(mcp.servers.statuses()).toMatchObject([{ state: "connected", tools: [{ ownName: "whoami" }] }]);
	expect(await mcp.call("mcp_s_whoami")).toEqual({ result: expect.stringContaining("client ") });
});

test("the older transport has the same login, renewed in its stream of requests", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	await login(home.path, "s", { url: server.sseUrl });
	const servers = { s: { url: server.sseUrl, transport: "sse" } };
	await using mcp = await openMcp(servers, { parts: { login: createLogins(home.path) } });
	const known = { result: expect.stringContaining("client ") };
	expect(await mcp.call("mcp_s_whoami")).toEqual(known);
	server.state.access.clear();
	expect(await mcp.call("mcp_s_whoami")).toEqual(known);
	expect(server.state.refreshes).toBe(1);
	await using without = await openMcp(
		{ t: { url: server.sseUrl, transport: "sse" } },
		{ parts: { login: createLogins(home.path) } },
	);
	expect(without.servers.statuses()).toMatchObject([
		{ state: "needs_login", problem: "it wants to know who you are; run hermes mcp login t" },
	]);
});
