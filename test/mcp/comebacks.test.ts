/** Servers that fail and come back: when they are tried again, and what does not count as a failure. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { startMcpHttpServer } from "../support/mcp-http-server.ts";
import { faultyServer, openMcp, quick } from "../support/mcp-servers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const plain = (name: string) => ({ name, inputSchema: { type: "object" } });

test("a server whose program is installed later is there without a restart", async () => {
	using folder = temporaryFolder();
	await using mcp = await openMcp({ s: { command: "./server", cwd: folder.path } });
	expect(mcp.servers.statuses()).toMatchObject([
		{ state: "failed", problem: expect.stringContaining('Cannot start "./server": there is no such program') },
	]);
	const program = join(folder.path, "server");
	await Bun.write(program, `#!/bin/sh\nexec '${process.execPath}' '${faultyServer("").args[0]}'\n`);
	chmodSync(program, 0o755);
	await mcp.until(() => mcp.names().length === 8);
	expect(mcp.servers.statuses()[0]?.problem).toBeUndefined();
});

test("a server that was well for a while is started anew at once, however often it has died before", async () => {
	// The eighth wait in a row would be 25 seconds.
	const timing = { ...quick, firstRetryMs: 200, longestRetryMs: 3_600_000, healthyMs: 0 };
	await using mcp = await openMcp(
		{ s: faultyServer("", { env: { TOOLS: JSON.stringify([plain("die")]) } }) },
		{ timing },
	);
	for (let round = 1; round <= 8; round++) {
		expect((await mcp.call("mcp_s_die")).error).toContain("exit code 1");
		await mcp.until(() => mcp.servers.statuses()[0]?.state === "connected");
	}
});

test("an error with a number of the SDK's own is an answer of the server, and stops no call", async () => {
	const message = "the database is locked";
	const instead = async (request: Request) => {
		if (request.method !== "POST") return undefined;
		const { id, method } = JSON.parse(await request.clone().text());
		return method === "tools/call"
			? Response.json({ jsonrpc: "2.0", id, error: { code: -32_000, message } })
			: undefined;
	};
	await using server = startMcpHttpServer({ instead });
	await using mcp = await openMcp({ s: { url: server.url } });
	for (let round = 1; round <= 5; round++) {
		expect((await mcp.call("mcp_s_echo")).error).toBe(`Cannot use MCP server "s": ${message}`);
	}
});

test.each(["http", "sse"])(
	"an address that takes a connection and says nothing costs connect_timeout (%s)",
	async (transport) => {
		await using silent = startMcpHttpServer({ instead: () => new Promise(() => {}) });
		const timing = { ...quick, firstRetryMs: 3_600_000 };
		await using mcp = await openMcp({ s: { url: silent.url, transport, connect_timeout: 0.3 } }, { timing });
		expect(mcp.servers.statuses()).toMatchObject([{ state: "failed", problem: "it was not there within 0.3 s" }]);
	},
);

test("a list that could not be had is asked for again", async () => {
	let lists = 0;
	const instead = async (request: Request) => {
		if (request.method !== "POST") return undefined;
		const { id, method } = JSON.parse(await request.clone().text());
		if (method !== "tools/list" || ++lists > 2) return undefined;
		return Response.json({ jsonrpc: "2.0", id, error: { code: -32_603, message: "not ready" } });
	};
	await using server = startMcpHttpServer({ instead });
	await using mcp = await openMcp({ s: { url: server.url } });
	expect(mcp.servers.statuses()).toMatchObject([{ state: "connected", problem: "not ready", tools: [] }]);
	await mcp.until(() => mcp.names().length === 1);
	expect(mcp.servers.statuses()[0]?.problem).toBeUndefined();
});

test("a server that is not wanted any more while it is still connecting leaves nothing", async () => {
	const { command, args } = faultyServer("hang");
	const mark = crypto.randomUUID();
	await using mcp = await openMcp({ s: { command, args: [...args, mark] } }, { waitMs: 200 });
	await mcp.servers.use({});
	expect({ statuses: mcp.servers.statuses(), names: mcp.names() }).toEqual({ statuses: [], names: [] });
	await mcp.until(() => Bun.spawnSync(["pgrep", "-f", mark]).stdout.toString() === "");
});
