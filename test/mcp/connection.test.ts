/** MCP servers as processes, one of which does everything wrong: what a call comes to, and what becomes of the server. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { attempt } from "../../lib/base/attempt.ts";
import { faultyServer, openMcp, quick } from "../support/mcp-servers.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

test("openServers() lists every page, and survives bad JSON, a flood of errors and a result of 50 MB", async () => {
	await using mcp = await openMcp({ s: faultyServer("noisy", { env: { OWN: "1" } }) });
	expect(mcp.names()).toEqual(
		["bad_name", "big", "cancelled", "die", "echo", "env", "fail", "slow"].map((name) => `mcp_s_${name}`),
	);
	const { result } = await mcp.call("mcp_s_big");
	expect(String(result)).toHaveLength(10_000_000 + "\n[40000000 characters more were left out]".length);
	const seen = JSON.parse(String((await mcp.call("mcp_s_env")).result));
	expect({ own: seen.OWN, key: seen.OPENAI_API_KEY }).toEqual({ own: "1", key: undefined });
});

test("a message without end is given up before it fills the memory, and the next call has a new server", async () => {
	const tools = JSON.stringify(["echo", "endless"].map((name) => ({ name, inputSchema: { type: "object" } })));
	await using mcp = await openMcp({ s: faultyServer("", { env: { TOOLS: tools } }) });
	expect((await mcp.call("mcp_s_endless")).error).toContain("it sent a message of more than 100 MB");
	expect(Number((await mcp.call("mcp_s_echo")).result)).toBeGreaterThan(0);
});

test("a server that says without end that its tools have changed holds up neither the start nor calls nor the end", async () => {
	const timing = { ...quick, listPauseMs: 3_600_000 };
	await using mcp = await openMcp({ s: faultyServer("flood") }, { timing });
	expect(mcp.names()).toContain("mcp_s_echo");
	expect(await mcp.call("mcp_s_echo")).toEqual({ result: expect.stringMatching(/^\d+$/) });
});

test("R106: a server that died in a call says so, and the next call has a new one", async () => {
	await using mcp = await openMcp({ s: faultyServer("") });
	const { result: first } = await mcp.call("mcp_s_echo");
	const died = await mcp.call("mcp_s_die");
	expect(died.error).toMatch(/^Cannot use MCP server "s": .*it ended with exit code 1/);
	const { result: second } = await mcp.call("mcp_s_echo");
	expect(Number(second)).toBeGreaterThan(0);
	expect(second).not.toBe(first);
});

test("R106: a server that was killed between two calls is there for the next one", async () => {
	await using mcp = await openMcp({ s: faultyServer("") });
	const { result: pid } = await mcp.call("mcp_s_echo");
	process.kill(Number(pid), "SIGKILL");
	// While a thread of it is left, its input takes messages that nobody will read.
	await mcp.until(() => !attempt(() => process.kill(Number(pid), 0)).ok);
	const { result: next, error } = await mcp.call("mcp_s_echo");
	expect(error).toBeUndefined();
	expect(Number(next)).toBeGreaterThan(0);
	expect(next).not.toBe(pid);
});

test("a call that is interrupted or late is given up, the server is told, and the next one works", async () => {
	await using mcp = await openMcp({ s: faultyServer("", { timeout: 0.5 }) });
	const interrupted = await mcp.call("mcp_s_slow", {}, AbortSignal.timeout(50));
	const late = await mcp.call("mcp_s_slow");
	expect([interrupted.error, late.error]).toEqual([
		'Cannot use MCP server "s": the call was interrupted',
		'Cannot use MCP server "s": tools/call had no answer within 0.5 s',
	]);
	expect(await mcp.call("mcp_s_cancelled")).toEqual({ result: "2" });
});

test("a server that never starts is not asked again and again, and says why", async () => {
	await using mcp = await openMcp({ s: faultyServer("crash") }, { timing: { ...quick, firstRetryMs: 3_600_000 } });
	expect(mcp.servers.statuses()).toMatchObject([{ name: "s", state: "failed", tools: [] }]);
	const [{ problem = "" } = {}] = mcp.servers.statuses();
	expect(problem).toContain("it ended with exit code 3; it wrote: cannot read my settings");
});

test("a program that is no server is named with what it said instead", async () => {
	const timing = { ...quick, firstRetryMs: 3_600_000 };
	await using mcp = await openMcp({ s: { command: "sh", args: ["-c", "echo usage: s FILE; exit 2"] } }, { timing });
	expect(mcp.servers.statuses()[0]?.problem).toBe("it ended with exit code 2; it wrote: usage: s FILE");
});

test("a server that starts and says nothing costs connect_timeout, and is not said to have ended", async () => {
	const timing = { ...quick, firstRetryMs: 3_600_000 };
	await using mcp = await openMcp({ s: faultyServer("hang", { connect_timeout: 0.4 }) }, { timing });
	expect(mcp.servers.statuses()[0]?.problem).toBe("it was not there within 0.4 s");
});

test("a server that does not answer three times is left alone for a while; one whose tools say no is not", async () => {
	await using mcp = await openMcp({ s: faultyServer("", { timeout: 0.2 }) }, { timing: { ...quick, pauseMs: 300 } });
	for (let attempt = 0; attempt < 4; attempt++) {
		expect(await mcp.call("mcp_s_fail")).toEqual({ error: "wrong argument" });
	}
	for (let attempt = 0; attempt < 3; attempt++) await mcp.call("mcp_s_slow");
	const { error } = await mcp.call("mcp_s_echo");
	expect(error).toMatch(/it did not answer 3 times in a row; do NOT retry yet, it is asked again in 1 s$/);
	await mcp.until(async () => "result" in (await mcp.call("mcp_s_echo")));
});
