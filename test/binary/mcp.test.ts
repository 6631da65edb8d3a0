/** MCP servers from the executable: those of the protocol's makers, and that nothing of them stays. */

import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtBinary } from "../support/built-binary.ts";
import { listenEverything } from "../support/mcp-official.ts";
import { officialServers } from "../support/mcp-servers.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

let hermes = "";
beforeAll(async () => {
	hermes = await builtBinary();
}, 180_000);

const everything = { command: process.execPath, args: [officialServers.everything, "stdio"] };
const filesystem = (folder: string) => ({ command: process.execPath, args: [officialServers.filesystem, folder] });

test("the executable reaches both servers, over each transport", async () => {
	await using http = await listenEverything("streamableHttp");
	await using sse = await listenEverything("sse");
	using home = temporaryFolder();
	const servers = {
		stdio: everything,
		http: { url: http.url },
		sse: { url: sse.url, transport: "sse" },
		fs: filesystem(home.path),
	};
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
	const env = { PATH: process.env.PATH ?? "", HOME: home.path, HERMES_HOME: join(home.path, ".hermes") };
	const run = async (...args: string[]) => await runProgram([hermes, ...args], { cwd: home.path, env });
	const listed = JSON.parse((await run("mcp", "list", "--json")).stdout);
	expect(listed).toMatchObject([
		{ name: "stdio", state: "connected" },
		{ name: "http", state: "connected" },
		{ name: "sse", state: "connected" },
		{ name: "fs", state: "connected" },
	]);
	const calls = ["stdio", "http", "sse"].map((name) => run("tools", "call", `mcp_${name}_echo`, '{"message":"hello"}'));
	for (const { stdout } of await Promise.all(calls)) expect(stdout).toContain("Echo: hello");
	expect((await run("tools", "call", "mcp_fs_list_allowed_directories")).stdout).toContain(home.path);
});
