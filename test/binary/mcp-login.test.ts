/** A login at an MCP server from the executable, where nothing may be made into code at run time. */

import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtBinary } from "../support/built-binary.ts";
import { startOAuthMcpServer } from "../support/oauth-mcp-server/start.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

let hermes = "";
beforeAll(async () => {
	hermes = await builtBinary();
}, 180_000);

test("the executable logs in, renews a token that was refused, and logs out", async () => {
	await using server = await startOAuthMcpServer();
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	writeFileSync(
		join(home.path, ".hermes/config.yaml"),
		JSON.stringify({ mcp_servers: { s: { url: server.url, auth: "oauth" } } }),
	);
	const env = { PATH: process.env.PATH ?? "", HOME: home.path, HERMES_HOME: join(home.path, ".hermes") };
	const login = Bun.spawn([hermes, "mcp", "login", "s"], { cwd: home.path, env, stdin: "ignore", stderr: "pipe" });
	const decoder = new TextDecoder();
	let shown = "";
	for await (const chunk of login.stderr) {
		shown += decoder.decode(chunk, { stream: true });
		const page = /(http:\S+authorize\S+)\n/.exec(shown)?.[1];
		if (page !== undefined) await fetch(page);
	}
	expect(await login.exited).toBe(0);
	server.state.access.clear();
	const run = (...args: string[]) => runProgram([hermes, ...args], { cwd: home.path, env });
	expect((await run("tools", "call", "mcp_s_whoami")).stdout).toContain("client ");
	expect(server.state.refreshes).toBe(1);
	expect((await run("mcp", "logout", "s")).stdout).toBe("Logged out of s\n");
	expect((await run("mcp", "test", "s")).stderr).toContain("run hermes mcp login s");
});
