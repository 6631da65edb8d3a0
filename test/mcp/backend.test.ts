/** MCP servers that live in the sandbox of a backend: the same processes, elsewhere. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasSsh } from "../environments/ssh/ssh-service.ts";
import { openDocker } from "../support/docker-sandbox.ts";
import { openMcp } from "../support/mcp-servers.ts";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// A container starts.
setDefaultTimeout(120_000);

/** All of a server that bash can be; the id of a request is the first number after `"id":`. */
const server = `
tools='{"tools":[{"name":"where","inputSchema":{"type":"object"}},{"name":"die","inputSchema":{"type":"object"}}]}'
init='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}'
echo "here I am" >&2
while IFS= read -r line; do
	[[ $line =~ \\"id\\":([0-9]+) ]] || continue
	id=\${BASH_REMATCH[1]}
	case $line in
	*'"initialize"'*) result=$init ;;
	*'"tools/list"'*) result=$tools ;;
	*'"die"'*) exit 4 ;;
	*) result="{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$$ $(hostname) $SECRET $HOST_ONLY\\"}]}" ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done`;

const isThere = await requireService("docker", async () => {
	await using _sandbox = await openDocker();
});

describe.skipIf(!isThere)("a server with backend: docker", () => {
	test("runs in a container, is started anew in the same one, and the container goes with us", async () => {
		const seen: string[] = [];
		const servers = { s: { command: "bash", args: ["-c", server], env: { SECRET: "own" }, backend: "docker" } };
		const mcp = await openMcp(servers, {
			variables: { PATH: process.env.PATH ?? "", HOST_ONLY: "no" },
			async openSandbox(place, signal) {
				seen.push(`${place.backend} ${place.taskId}`);
				const sandbox = await openDocker({ taskId: place.taskId, signal });
				return {
					ranOn: sandbox.ranOn,
					start: (argv, options) => sandbox.start(argv, options),
					async [Symbol.asyncDispose]() {
						await sandbox[Symbol.asyncDispose]();
						seen.push("closed");
					},
				};
			},
		});
		expect(mcp.servers.statuses()).toMatchObject([{ state: "connected", tools: { length: 2 } }]);
		const [pid, host, ...rest] = String((await mcp.call("mcp_s_where")).result).split(" ");
		expect({ isElsewhere: host !== (await Bun.$`hostname`.text()).trim(), rest }).toEqual({
			isElsewhere: true,
			rest: ["own", ""],
		});
		expect((await mcp.call("mcp_s_die")).error).toContain("it ended with exit code 4; it wrote: here I am");
		const [newPid, sameHost] = String((await mcp.call("mcp_s_where")).result).split(" ");
		expect({ isSameHost: sameHost === host, isNew: newPid !== pid }).toEqual({ isSameHost: true, isNew: true });
		await mcp[Symbol.asyncDispose]();
		expect(seen).toEqual(["docker mcp-s", "closed"]);
	});
	test("is opened as the settings of the backend say", async () => {
		const env = {
			DOCKER_HOST: serviceVariable("DOCKER_HOST"),
			TERMINAL_DOCKER_IMAGE: serviceVariable("HERMES_TEST_DOCKER_IMAGE"),
			TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: "false",
		};
		expect(await testedOn("docker", env)).toEqual({ stdout: "s: 2 tools\n  die\n  where\n", exitCode: 0 });
	});
});

test.skipIf(!(await hasSsh()))("a server with backend: ssh is opened as the settings of the backend say", async () => {
	using folder = temporaryFolder();
	const config = join(folder.path, "ssh_config");
	writeFileSync(config, `UserKnownHostsFile ${serviceVariable("HERMES_TEST_SSH_KNOWN_HOSTS")}\n`);
	const names = ["HOST", "PORT", "USER", "KEY"];
	const env = Object.fromEntries(
		names.map((name) => [`TERMINAL_SSH_${name}`, serviceVariable(`HERMES_TEST_SSH_${name}`)]),
	);
	expect(await testedOn("ssh", { ...env, TERMINAL_SSH_CONFIG_FILE: config })).toEqual({
		stdout: "s: 2 tools\n  die\n  where\n",
		exitCode: 0,
	});
});

async function testedOn(backend: string, env: Readonly<Record<string, string>>) {
	using home = temporaryFolder();
	const servers = { s: { command: "bash", args: ["-c", server], backend } };
	mkdirSync(join(home.path, ".hermes"), { recursive: true });
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
	const { stdout, exitCode } = await startHermes(["mcp", "test", "s"], { home: home.path, env }).ended;
	return { stdout, exitCode };
}

test("a backend that cannot be opened is the reason why the server is not there, and the others are", async () => {
	const servers = { s: { command: "x", backend: "docker" } };
	await using mcp = await openMcp(servers, {
		openSandbox: () => Promise.reject(new Error('Cannot use backend "docker" for it: no engine runs')),
	});
	expect(mcp.servers.statuses()).toMatchObject([
		{ state: "failed", problem: 'Cannot use backend "docker" for it: no engine runs' },
	]);
});
