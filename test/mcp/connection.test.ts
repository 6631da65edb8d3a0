/** MCP servers as processes: real ones, and one that does everything wrong. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { silentLogger } from "../../lib/log/logger.ts";
import { answerOf } from "../../lib/mcp/call-result.ts";
import { Connection } from "../../lib/mcp/connection.ts";
import { openServers, wantedTools } from "../../lib/mcp/open-servers.ts";
import { readServerSettings } from "../../lib/mcp/server-settings.ts";
import { mcpToolName } from "../../lib/mcp/tool-names.ts";
import { createRegistry } from "../../lib/registry/registry.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const faulty = join(import.meta.dir, "faulty-server.ts");
const everything = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const never = new AbortController().signal;
const variables = { PATH: process.env.PATH ?? "", HOME: "/tmp", OPENAI_API_KEY: "sk-hidden" };

function server(mode: string, more: object = {}) {
	return { command: process.execPath, args: [faulty, mode], ...more };
}

function connect(entry: object): Connection {
	const read = readServerSettings(entry);
	if (!read.ok) throw new Error(read.reason);
	return new Connection({ name: "s", settings: read.settings, variables, log: silentLogger });
}

test("Connection lists every page, survives bad JSON, a flood of errors and a result of 50 MB", async () => {
	await using connection = connect(server("noisy", { env: { OWN: "1" } }));
	const names = (await connection.tools()).map(({ name }) => name);
	expect(names).toEqual(["echo", "die", "fail", "slow", "big", "env", "bad.name"]);
	expect(answerOf(await connection.call("big", {}, never)).length).toBe(50_000_013);
	const seen = JSON.parse(JSON.parse(answerOf(await connection.call("env", {}, never))).result);
	expect({ own: seen.OWN, key: seen.OPENAI_API_KEY }).toEqual({ own: "1", key: undefined });
});

test("R106: Connection starts a server anew that died in a call", async () => {
	await using connection = connect(server(""));
	const first = answerOf(await connection.call("echo", {}, never));
	await expect(connection.call("die", {}, never)).rejects.toThrow('Cannot use MCP server "s": ');
	expect(answerOf(await connection.call("echo", {}, never))).not.toBe(first);
});

test("Connection gives up a call that is interrupted or late, and the next one works", async () => {
	await using connection = connect(server("", { timeout: 0.5 }));
	await connection.tools();
	await expect(connection.call("slow", {}, AbortSignal.timeout(50))).rejects.toThrow("interrupted");
	await expect(connection.call("slow", {}, never)).rejects.toThrow("timed out");
	expect(answerOf(await connection.call("echo", {}, never))).toContain("result");
});

test("Connection stops asking a server that never starts, but not one whose tools say no", async () => {
	await using broken = connect(server("crash"));
	for (let attempt = 0; attempt < 3; attempt++) await broken.tools().catch(() => undefined);
	await expect(broken.tools()).rejects.toThrow(/it failed 3 times; do not ask again for \d+ s/);
	await using refusing = connect(server(""));
	for (let attempt = 0; attempt < 4; attempt++) {
		expect<string>(answerOf(await refusing.call("fail", {}, never))).toBe('{"error":"wrong argument"}');
	}
});

test("openServers() starts the others while one hangs, and registers what was asked for", async () => {
	const registry = createRegistry([]);
	const servers = { hung: server("hang"), ok: server("", { tools: { include: "bad.name", exclude: ["bad.name"] } }) };
	const started = performance.now();
	const opened = await openServers({ servers, variables, registry, log: silentLogger, waitMs: 3_000 });
	const names = registry.list().map(({ name, toolset, source }) => ({ name, toolset, source }));
	await opened[Symbol.asyncDispose]();
	expect(names).toEqual([{ name: "mcp_ok_bad_name", toolset: "mcp-ok", source: { kind: "mcp", name: "ok" } }]);
	expect(performance.now() - started).toBeLessThan(30_000);
});

test("openServers() starts 20 servers at once, and a hanging one costs no more than the wait", async () => {
	const registry = createRegistry([]);
	const many = Array.from({ length: 19 }, (_each, index) => [`s${index}`, server("")] as const);
	const servers = { hung: server("hang"), ...Object.fromEntries(many) };
	await using _opened = await openServers({ servers, variables, registry, log: silentLogger, waitMs: 8_000 });
	expect([...registry.toolsets().keys()]).toEqual(many.map(([name]) => `mcp-${name}`).sort());
});

test("R107: a server dies with us, also when we are killed", async () => {
	const script = `import { Connection } from ${JSON.stringify(join(import.meta.dir, "../../lib/mcp/connection.ts"))};
		import { readServerSettings } from ${JSON.stringify(join(import.meta.dir, "../../lib/mcp/server-settings.ts"))};
		import { silentLogger } from ${JSON.stringify(join(import.meta.dir, "../../lib/log/logger.ts"))};
		const { settings } = readServerSettings(${JSON.stringify(server(""))});
		const connection = new Connection({ name: "s", settings, variables: { PATH: process.env.PATH }, log: silentLogger });
		const { content } = await connection.call("echo", {}, new AbortController().signal);
		console.log(content[0].text);
		await Bun.sleep(60_000);`;
	const parent = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
	const { value } = await parent.stdout.getReader().read();
	const pid = Number(new TextDecoder().decode(value));
	expect(isAlive(pid)).toBe(true);
	parent.kill("SIGKILL");
	for (const giveUpAt = performance.now() + 20_000; isAlive(pid) && performance.now() < giveUpAt; ) await Bun.sleep(20);
	expect(isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
	const stat = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
		.stdout.toString()
		.trim();
	return stat !== "" && !stat.startsWith("Z");
}

test("Connection works with the server of the protocol's makers", async () => {
	await using connection = connect({ command: process.execPath, args: [everything, "stdio"] });
	const names = (await connection.tools()).map(({ name }) => name);
	expect(names).toContain("echo");
	const answer = answerOf(await connection.call("echo", { message: "hello" }, never));
	expect<string>(answer).toBe('{"result":"Echo: hello"}');
});

test("mcpToolName() tells names apart that would be one, and keeps to 64 characters", () => {
	expect(mcpToolName("a-b", "c.d", () => false)).toBe("mcp_a_b_c_d");
	const taken = (name: string) => name === "mcp_a_b_c";
	expect(mcpToolName("a", "b_c", taken)).toMatch(/^mcp_a_b_c_[0-9a-f]{8}$/);
	expect(mcpToolName("a", "b_c", taken)).not.toBe(mcpToolName("a_b", "c", taken));
	expect(mcpToolName("a", "b".repeat(80), () => false)).toHaveLength(64);
});

test("wantedTools() lets the wanted ones win over the unwanted ones (#690)", () => {
	const tools = [{ name: "a" }, { name: "b" }];
	expect(wantedTools(tools, { include: ["a"], exclude: ["a"] })).toEqual([{ name: "a" }]);
	expect(wantedTools(tools, { exclude: ["a"] })).toEqual([{ name: "b" }]);
});

test("readServerSettings() refuses a shell that downloads, and what is no server", () => {
	const refused = { ok: false as const, reason: "its command is a shell that downloads something" };
	expect(readServerSettings({ command: "bash", args: ["-c", "curl x | sh"] })).toEqual(refused);
	expect(readServerSettings({ args: [] }).ok).toBe(false);
});
