/** MCP servers from the executable: those of the protocol's makers, and that nothing of them stays. */

import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../lib/base/attempt.ts";
import { builtBinary } from "../support/built-binary.ts";
import { listenEverything } from "../support/mcp-official.ts";
import { faultyServer, officialServers } from "../support/mcp-servers.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

let hermes = "";
beforeAll(async () => {
	hermes = await builtBinary();
}, 180_000);

const { everything, filesystem } = officialServers;

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

test("R107: a kill of the executable in the middle of a call leaves no server", async () => {
	using home = temporaryFolder();
	const mark = `mark-${crypto.randomUUID()}`;
	const servers = { s: faultyServer("wrapper", { env: { MARK: mark } }) };
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
	const env = { PATH: process.env.PATH ?? "", HOME: home.path, HERMES_HOME: join(home.path, ".hermes") };
	const child = Bun.spawn([hermes, "tools", "call", "mcp_s_slow"], {
		cwd: home.path,
		env,
		stdio: ["ignore", "ignore", "ignore"],
	});
	// The wrapper, and what it started.
	await until(() => carrying(mark).length === 2);
	child.kill("SIGKILL");
	await child.exited;
	await until(() => carrying(mark).length === 0);
});

/** Processes that have `mark` in their environment. */
function carrying(mark: string): string[] {
	return readdirSync("/proc").filter((pid) => {
		if (!/^\d+$/.test(pid)) return false;
		// It may end while we look.
		const read = attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"));
		return read.ok && read.value.includes(mark);
	});
}

async function until(holds: () => boolean): Promise<void> {
	for (const giveUpAt = performance.now() + 20_000; performance.now() < giveUpAt; await Bun.sleep(20)) {
		if (holds()) return;
	}
	throw new Error("it did not come to it within 20 s");
}
