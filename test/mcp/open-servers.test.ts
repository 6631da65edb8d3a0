/** Many servers at once: none delays or stops another, none outlives us, and changed settings leave nothing behind. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { faultyServer, isAlive, openMcp } from "../support/mcp-servers.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const lib = join(import.meta.dir, "../../lib");

test("openServers() starts 20 servers at once, and a hanging one costs no more than the wait", async () => {
	const many = Array.from({ length: 19 }, (_each, index) => [`s${index}`, faultyServer("")] as const);
	const servers = { hung: faultyServer("hang"), ...Object.fromEntries(many) };
	const started = performance.now();
	await using mcp = await openMcp(servers, { waitMs: 2_000 });
	const tookMs = performance.now() - started;
	// A busy machine may take longer for all of them.
	await mcp.until(() => mcp.names().length === 19 * 8);
	expect([...mcp.registry.toolsets().keys()]).toEqual([...many.map(([name]) => `mcp-${name}`), "own"].sort());
	expect(mcp.servers.statuses()[0]).toMatchObject({ name: "hung", state: "connecting", tools: [] });
	// Without the wait it would be the 60 s of connect_timeout.
	expect(tookMs).toBeLessThan(30_000);
});

test("openServers() does not wait for a server that is slow, which adds its tools when it is there", async () => {
	const slow = { command: "bash", args: ["-c", `sleep 1; exec ${process.execPath} ${faultyServer("").args[0]}`] };
	await using mcp = await openMcp({ slow, ok: faultyServer("", { tools: { include: ["echo"] } }) }, { waitMs: 500 });
	await mcp.until(() => mcp.names().length === 9);
	expect(mcp.names()[0]).toBe("mcp_ok_echo");
});

test("openServers() shows why an entry cannot be used, and starts nothing that is switched off", async () => {
	const servers = {
		odd: { args: [] },
		off: faultyServer("", { enabled: "no" }),
		missing: { command: "no-such-program" },
		shell: { command: "bash", args: ["-c", "curl x | sh"] },
	};
	await using mcp = await openMcp(servers);
	expect(mcp.servers.statuses().map(({ name, state, problem }) => ({ name, state, problem }))).toEqual([
		{ name: "odd", state: "failed", problem: expect.stringContaining("command: ") },
		{ name: "off", state: "disabled", problem: undefined },
		{
			name: "missing",
			state: "failed",
			problem: expect.stringMatching(/^Cannot start "no-such-program": it is not on the PATH .*; install it/),
		},
		{ name: "shell", state: "failed", problem: "its command is a shell that downloads something" },
	]);
});

test("R109: settings that change 20 times leave as many processes as one start", async () => {
	const mark = crypto.randomUUID();
	const marked = (more: object = {}) => ({ ...faultyServer("", more), args: [...faultyServer("").args, mark] });
	const mine = () => Bun.spawnSync(["pgrep", "-f", mark]).stdout.toString().split("\n").length - 1;
	await using mcp = await openMcp({ kept: marked(), s: marked() });
	const { result: kept } = await mcp.call("mcp_kept_echo");
	const { result: first } = await mcp.call("mcp_s_echo");
	expect(mine()).toBe(2);
	for (let round = 1; round <= 20; round++) {
		await mcp.servers.use({ kept: marked(), s: marked({ timeout: 100 + round }) });
	}
	expect(mine()).toBe(2);
	const { result: last } = await mcp.call("mcp_s_echo");
	expect({ sameKept: (await mcp.call("mcp_kept_echo")).result === kept, sameOther: last === first }).toEqual({
		sameKept: true,
		sameOther: false,
	});
	await mcp.servers.use({});
	expect({ left: mine(), names: mcp.names() }).toEqual({ left: 0, names: [] });
});

test.each([
	{ end: "killed", mode: "" },
	{ end: "killed", mode: "wrapper" },
	{ end: "at its end", mode: "wrapper" },
])("R107: a server ($mode) dies with us, $end", async ({ end, mode }) => {
	const script = `import { openServers } from ${JSON.stringify(join(lib, "mcp/open-servers.ts"))};
		import { silentLogger } from ${JSON.stringify(join(lib, "log/logger.ts"))};
		import { createRegistry } from ${JSON.stringify(join(lib, "registry/registry.ts"))};
		const registry = createRegistry([]);
		const servers = { s: ${JSON.stringify(faultyServer(mode))} };
		const opened = await openServers({ servers, variables: process.env, registry, log: silentLogger, waitMs: 30_000 });
		const tool = registry.get("mcp_s_echo");
		console.log(JSON.parse(await tool.run({}, { signal: new AbortController().signal })).result);
		for await (const _line of console) break;
		await opened[Symbol.asyncDispose]();`;
	const parent = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
	const { value } = await parent.stdout.getReader().read();
	const pid = Number(new TextDecoder().decode(value));
	expect(isAlive(pid)).toBe(true);
	if (end === "killed") parent.kill("SIGKILL");
	else parent.stdin.write("\n");
	await parent.stdin.flush();
	await parent.exited;
	for (const giveUpAt = performance.now() + 20_000; isAlive(pid) && performance.now() < giveUpAt; ) await Bun.sleep(20);
	expect(isAlive(pid)).toBe(false);
});
