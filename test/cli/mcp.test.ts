/** hermes mcp: servers of config.yaml, listed and tried, and their tools called. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const faulty = join(import.meta.dir, "../support/mcp-faulty-server.ts");

test("hermes mcp list and test show servers and what is wrong with them; tools call reaches their tools", async () => {
	using home = temporaryFolder();
	const hermes = (...args: string[]) => runInProcess(args, home.path);
	const command = process.execPath;
	const servers = {
		good: { command, args: [faulty], tools: { include: ["echo", "fail"] } },
		bad: { command, args: [faulty, "crash"], enabled: false },
		odd: { args: [] },
	};
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));

	expect(JSON.parse((await hermes("mcp", "list", "--json")).stdout)).toEqual([
		{ name: "good", enabled: true, transport: "stdio", state: "connected", tools: 2, command },
		{ name: "bad", enabled: false, transport: "stdio", state: "disabled", tools: 0, command },
		{
			name: "odd",
			enabled: false,
			transport: "stdio",
			state: "failed",
			tools: 0,
			problem: expect.stringContaining("command: "),
		},
	]);
	const tried = { stdout: "good: 2 tools\n  echo\n  fail\n", stderr: "", exitCode: 0 };
	expect(await hermes("mcp", "test", "good")).toEqual(tried);
	const failed = await hermes("mcp", "test", "bad");
	expect({ exitCode: failed.exitCode, stderr: failed.stderr }).toEqual({
		exitCode: 1,
		stderr: expect.stringContaining('Cannot use MCP server "bad": '),
	});
	expect((await hermes("mcp", "test", "none")).stderr).toContain("it is not in config.yaml; there is good, bad, odd");
	expect((await hermes("tools", "call", "mcp_good_fail")).stdout).toContain("wrong argument");
});

test("a result of 50 MB is cut to what a result may have; safe mode starts no server", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	const servers = { good: { command: process.execPath, args: [faulty] } };
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
	const { stdout, stderr, exitCode } = await runInProcess(["tools", "call", "mcp_good_big"], home.path);
	expect({ exitCode, stderr, isShort: stdout.length < 200_000 }).toEqual({ exitCode: 0, stderr: "", isShort: true });
	const safe = await runInProcess(["tools", "call", "mcp_good_echo"], home.path, { HERMES_SAFE_MODE: "1" });
	expect(safe.exitCode).not.toBe(0);
});

test("a run says which servers it has to do without, and why", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	const command = process.execPath;
	const servers = {
		good: { command, args: [faulty] },
		bad: { command, args: [faulty, "crash"] },
		slow: { command, args: [faulty, "hang"] },
		off: { command, args: [faulty, "crash"], enabled: false },
	};
	const settings = { mcp_servers: servers, mcp: { startup_seconds: 3 } };
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify(settings));
	const { stdout, stderr } = await runInProcess(["tools", "call", "mcp_good_fail"], home.path);
	expect(stdout).toContain("wrong argument");
	expect(stderr.split("\n")).toEqual([
		expect.stringMatching(/^hermes: MCP server "bad" cannot be used now: it ended with exit code 3; it wrote: /),
		'hermes: MCP server "slow" is not there yet; its tools come when it is',
		"",
	]);
});

test("hermes mcp add and remove change config.yaml and keep its comments; flags of the server are its own", async () => {
	using home = temporaryFolder();
	const hermes = (...args: string[]) => runInProcess(args, home.path);
	const config = join(home.path, ".hermes/config.yaml");
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	writeFileSync(config, "# mine\nmcp_servers:\n  other: {command: x} # kept\n");

	expect((await hermes("mcp", "add", "good", process.execPath, faulty, "--json", "-y")).exitCode).toBe(0);
	expect(Bun.YAML.parse(readFileSync(config, "utf8"))).toEqual({
		mcp_servers: { other: { command: "x" }, good: { command: process.execPath, args: [faulty, "--json", "-y"] } },
	});
	expect((await hermes("mcp", "test", "good")).stdout).toStartWith("good: 8 tools\n");
	expect((await hermes("mcp", "add", "good", "x")).stderr).toContain("there is one of that name");
	expect((await hermes("mcp", "add", "bad.name", "x")).stderr).toContain("a name has letters");
	expect((await hermes("mcp", "remove", "good")).exitCode).toBe(0);
	expect(readFileSync(config, "utf8")).toContain("# kept");
	expect(Bun.YAML.parse(readFileSync(config, "utf8"))).toEqual({ mcp_servers: { other: { command: "x" } } });
	expect((await hermes("mcp", "remove", "good")).stderr).toContain("it is not in config.yaml");
});

test("hermes mcp add --url keeps secrets in .env; values that make no sense are refused", async () => {
	using home = temporaryFolder();
	const hermes = (...args: string[]) => runInProcess(args, home.path);
	const files = () => ({
		servers: Bun.YAML.parse(readFileSync(join(home.path, ".hermes/config.yaml"), "utf8")),
		env: readFileSync(join(home.path, ".hermes/.env"), "utf8"),
	});
	const headers = [
		"--header",
		"Authorization: Bearer abc123",
		"--header",
		"X-Region=eu",
		"--header",
		"X-Api-Key=${MINE}",
	];
	const added = await hermes("mcp", "add", ...headers, "--url", "https://mcp.example/mcp", "--parallel", "far");
	expect(added.stdout).toBe("Added far; MCP_FAR_AUTHORIZATION went to .env\n");
	await hermes(
		"mcp",
		"add",
		"--env",
		"GITHUB_TOKEN=ghx",
		"--env",
		"MODE=a=b",
		"--backend",
		"docker",
		"near",
		"npx",
		"-y",
		"x",
	);
	expect(files()).toEqual({
		servers: {
			mcp_servers: {
				far: {
					url: "https://mcp.example/mcp",
					headers: {
						Authorization: "Bearer ${MCP_FAR_AUTHORIZATION}",
						"X-Region": "eu",
						"X-Api-Key": "${MINE}",
					},
					supports_parallel_tool_calls: true,
				},
				near: {
					command: "npx",
					args: ["-y", "x"],
					env: { GITHUB_TOKEN: "${MCP_NEAR_GITHUB_TOKEN}", MODE: "a=b" },
					backend: "docker",
				},
			},
		},
		env: "MCP_FAR_AUTHORIZATION=abc123\nMCP_NEAR_GITHUB_TOKEN=ghx\n",
	});
	await hermes("mcp", "add", "behind", "--url=https://x.example", "--header", "A=b", "--header=C: d", "--parallel");
	await hermes("mcp", "add", "dashes", "--env", "A=1", "--", "npx", "--env", "B=2");
	expect(files().servers).toMatchObject({
		mcp_servers: {
			behind: { url: "https://x.example", headers: { A: "b", C: "d" }, supports_parallel_tool_calls: true },
			dashes: { command: "npx", args: ["--env", "B=2"], env: { A: "1" } },
		},
	});
	const refused = [
		["--env", "A_KEY=one\ntwo", "a", "x"],
		["a", "--urll", "https://x"],
		["a", "--url"],
		["--url", "ftp://x", "a"],
		["--url", "http://:8080", "a"],
		["--url", "https://x", "a", "command"],
		["--header", "A=b", "a", "command"],
		["--env", "secret", "a", "command"],
		["a"],
	];
	for (const args of refused) expect((await hermes("mcp", "add", ...args)).exitCode, args.join(" ")).not.toBe(0);
	expect((await hermes("mcp", "list", "--offline", "--json")).stdout).toContain('"url": "https://mcp.example/mcp"');
	expect((await hermes("mcp", "remove", "far")).stdout).toBe("Removed far; MCP_FAR_AUTHORIZATION stays in .env\n");
	expect((await hermes("mcp", "remove", "behind")).stdout).toBe("Removed behind\n");
});

test("hermes mcp add never puts the secret of one server where another one's entry finds it", async () => {
	using home = temporaryFolder();
	const add = (name: string, token: string) =>
		runInProcess(["mcp", "add", name, "--env", `TOKEN=${token}`, "x"], home.path);
	await add("a-b", "one");
	expect((await add("a_b", "two")).stdout).toBe("Added a_b; MCP_A_B_TOKEN_2 went to .env\n");
	expect(readFileSync(join(home.path, ".hermes/.env"), "utf8")).toBe("MCP_A_B_TOKEN=one\nMCP_A_B_TOKEN_2=two\n");
	// One that comes back takes its own variable again.
	await runInProcess(["mcp", "remove", "a-b"], home.path);
	expect((await add("a-b", "three")).stdout).toBe("Added a-b; MCP_A_B_TOKEN went to .env\n");
});

test("hermes mcp test shows names of tools so that they neither move the cursor nor hide anything", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	const tools = [{ name: "\u001b[2Jclear\nleft out: nothing" }, { name: "a\u202eb" }];
	const env = { TOOLS: JSON.stringify(tools.map((tool) => ({ ...tool, inputSchema: { type: "object" } }))) };
	const servers = { odd: { command: process.execPath, args: [faulty], env } };
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
	const { stdout } = await runInProcess(["mcp", "test", "odd"], home.path);
	expect(stdout).toContain("\\x1b[2Jclear left out: nothing");
	expect(stdout).toContain("a\\x202eb");
	for (const character of "\u001b\u202e") expect(stdout).not.toContain(character);
});
