/** hermes mcp serve --tools: the same tools on other machines, for a client over either wire. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { hasSsh } from "../environments/ssh/ssh-service.ts";
import { openDocker } from "../support/docker-sandbox.ts";
import { connectOverHttp, connectToHermes, type McpClient } from "../support/mcp-client.ts";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { startHermes } from "../support/run-hermes.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test opens sandboxes, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

const hasDocker = await requireService("docker", async () => (await openDocker())[Symbol.asyncDispose]());
const sshIsThere = await hasSsh();

/** What a client does on any backend; gives where it was. */
async function work(hermes: McpClient, folder: string): Promise<string> {
	await hermes.call("terminal", { command: `mkdir -p ${folder} && cd ${folder} && export WORD=stays` });
	const written = await hermes.call("write_file", { path: "note.txt", content: "one\ntwo\n" });
	expect(written.isError).toBe(false);
	await hermes.call("patch", { path: "note.txt", old_string: "two", new_string: "three" });
	const script = await hermes.call("execute_code", {
		code: "from hermes_tools import read_file\nprint('three' in read_file('note.txt')['content'])",
	});
	expect(script.answer).toMatchObject({ status: "success", output: expect.stringContaining("True") });
	const { answer } = await hermes.call("terminal", { command: `cat note.txt; echo $WORD; rm -r ${folder}` });
	expect(answer.output).toBe("one\nthree\nstays");
	return answer.ran_on;
}

/** The containers that there are, running or not. */
async function containers(): Promise<readonly string[]> {
	const socket = serviceVariable("DOCKER_HOST").replace("unix://", "");
	const response = await fetch("http://engine/containers/json?all=1", { unix: socket });
	const listed = z.array(z.object({ Id: z.string() })).parse(await response.json());
	return listed.map(({ Id }) => Id.slice(0, 12));
}

describe.skipIf(!hasDocker)("docker", () => {
	const env = () => ({
		DOCKER_HOST: serviceVariable("DOCKER_HOST"),
		TERMINAL_DOCKER_IMAGE: serviceVariable("HERMES_TEST_DOCKER_IMAGE"),
	});

	test("a client over standard input has a container that goes with it", async () => {
		using home = temporaryFolder();
		const args = ["--tools", "--backend", "docker", "--allow", "script"];
		const hermes = await connectToHermes(args, { home: home.path, env: env() });
		const [, id = ""] = /^docker:(\w+)/.exec(await work(hermes, "/tmp/served")) ?? [];
		expect(await containers()).toContain(id);
		const ended = runProgram(["tail", `--pid=${hermes.pid}`, "-f", "/dev/null"], { cwd: "/", env: {} });
		await hermes[Symbol.asyncDispose]();
		await ended;
		expect(await containers()).not.toContain(id);
	});

	test("two clients over HTTP have a container each, which goes with its client", async () => {
		using home = temporaryFolder();
		const args = ["mcp", "serve", "--tools", "--http", "--port", "0", "--backend", "docker", "--yolo"];
		const server = startHermes(args, { home: home.path, env: env() });
		await server.shows("; clients send the key of ");
		const url = /http:\/\/\S+\/mcp/.exec(server.shown())?.[0] ?? "";
		const key = readFileSync(join(home.path, ".hermes/mcp-serve.key"), "utf8").trim();
		const clients = await Promise.all([connectOverHttp(url, key), connectOverHttp(url, key)]);
		const places = await Promise.all(clients.map((client) => work(client, "/tmp/served")));
		const ids = places.map((place) => place.slice("docker:".length));
		expect(new Set(ids).size).toBe(2);
		expect(await containers()).toEqual(expect.arrayContaining(ids));
		await clients[0]?.[Symbol.asyncDispose]();
		while ((await containers()).includes(ids[0] ?? "")) await Bun.sleep(100);
		expect(await containers()).toContain(ids[1] ?? "");
		server.kill("SIGTERM");
		await server.ended;
		expect(await containers()).not.toContain(ids[1] ?? "");
		await clients[1]?.client.close();
	});

	test("an engine that is not there is told at the start, and nothing runs elsewhere", async () => {
		using home = temporaryFolder();
		const args = ["mcp", "serve", "--tools", "--backend", "docker"];
		const { stderr, stdout, exitCode } = await startHermes(args, {
			home: home.path,
			env: { DOCKER_HOST: "unix:///nope/docker.sock" },
		}).ended;
		expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
		expect(stderr).toContain('Cannot use backend "docker"');
	});
});

describe.skipIf(!sshIsThere)("ssh", () => {
	test("a client works on the other host", async () => {
		using home = temporaryFolder();
		const config = join(home.path, "ssh_config");
		writeFileSync(config, `UserKnownHostsFile ${serviceVariable("HERMES_TEST_SSH_KNOWN_HOSTS")}\n`);
		await using hermes = await connectToHermes(
			["--tools", "--backend", "ssh", "--allow", "script,delete-absolute,delete-recursive"],
			{
				home: home.path,
				env: {
					TERMINAL_SSH_HOST: serviceVariable("HERMES_TEST_SSH_HOST"),
					TERMINAL_SSH_PORT: serviceVariable("HERMES_TEST_SSH_PORT"),
					TERMINAL_SSH_USER: serviceVariable("HERMES_TEST_SSH_USER"),
					TERMINAL_SSH_KEY: serviceVariable("HERMES_TEST_SSH_KEY"),
					TERMINAL_SSH_CONFIG_FILE: config,
				},
			},
		);
		const ranOn = await work(hermes, `/tmp/served-${crypto.randomUUID()}`);
		expect(ranOn).toStartWith(`ssh:${serviceVariable("HERMES_TEST_SSH_USER")}@`);
	});
});
