/** What becomes of commands when the engine itself goes away: an engine of our own, and one that is reached over ssh. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable } from "../../../lib/environments/backend.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openDocker, openDockerShell } from "../../support/docker-sandbox.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const signal = new AbortController().signal;
const startMs = 120_000;
const limitMs = 60_000;
const root = join(import.meta.dir, "../../..");
const isThere = await requireService("docker", async () => (await openDocker())[Symbol.asyncDispose]());

async function services(command: string, folder: string): Promise<string> {
	const { stdout, stderr, exitCode } = await runProgram(
		["bash", "scripts/test-services.sh", command, "--only", "docker", folder],
		{ cwd: root, env: { PATH: process.env.PATH ?? "", HOME: "/root" } },
	);
	if (exitCode !== 0) throw new Error(`Cannot ${command} an engine: ${stderr.slice(-500)}`);
	return /^DOCKER_HOST=(.*)$/m.exec(stdout)?.[1] ?? "";
}

describe.skipIf(!isThere)("an engine of its own", () => {
	const folder = temporaryFolder();
	let engine = "";
	beforeAll(async () => {
		engine = await services("start", folder.path);
	}, startMs);
	afterAll(async () => {
		await services("stop", folder.path);
		folder[Symbol.dispose]();
	}, startMs);

	/** Ends the engine so hard that it can stop nothing, or as a restart of the service does. */
	async function end(how: "SIGKILL" | "SIGTERM"): Promise<void> {
		const pid = Number(await Bun.file(join(folder.path, "docker/docker.pid")).text());
		process.kill(pid, how);
		while (
			await Bun.file(`/proc/${pid}/stat`)
				.text()
				.then(
					(stat) => !/\) Z /.test(stat),
					() => false,
				)
		)
			await Bun.sleep(50);
	}

	test(
		"restarted between two commands: the container is started again, and the session goes on with its state",
		async () => {
			using home = temporaryFolder();
			const told: string[] = [];
			await using sandbox = await openDocker({
				engine,
				home: home.path,
				settings: { docker_persist_across_processes: true },
				onProgress: (line) => void told.push(line),
			});
			await using shell = await openDockerShell(sandbox);
			await execute(shell, "export A=1; echo kept >/etc/f", { signal });
			const before = sandbox.ranOn;
			await end("SIGTERM");
			await services("start", folder.path);
			const { output, ranOn } = await execute(shell, "echo $A; cat /etc/f", { signal });
			expect({ output, ranOn }).toEqual({ output: "1\nkept\n", ranOn: before });
			expect(told).toEqual([expect.stringMatching(/^Started the container hermes-\w{8} again, which was exited$/)]);
		},
		startMs,
	);

	test(
		"killed during a command: the command fails as unavailable and is not run again",
		async () => {
			using home = temporaryFolder();
			await using sandbox = await openDocker({
				engine,
				home: home.path,
				settings: { docker_volumes: [`${home.path}:/host`] },
			});
			await using shell = await openDockerShell(sandbox);
			const up = Promise.withResolvers<void>();
			const running = execute(shell, "echo ran >>/host/ran; echo up; sleep 30", {
				signal,
				onOutput: () => up.resolve(),
			});
			const thrown = running.then(
				() => undefined,
				(cause: unknown) => cause,
			);
			await up.promise;
			await end("SIGKILL");
			const cause = await thrown;
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(String(cause)).toContain("no longer answers");
			await expect(execute(shell, "echo no", { signal })).rejects.toBeInstanceOf(BackendUnavailable);
			await services("start", folder.path);
			expect(await Bun.file(join(home.path, "ran")).text()).toBe("ran\n");
		},
		startMs,
	);
});

describe.skipIf(!isThere || process.env.HERMES_TEST_SSH_HOST === undefined)("an engine over ssh", () => {
	/** An ssh client that knows the test server, as a user's own settings would make it. */
	async function sshClient(options: string) {
		const folder = temporaryFolder();
		const program = join(folder.path, "ssh");
		const known = `-o UserKnownHostsFile=${serviceVariable("HERMES_TEST_SSH_KNOWN_HOSTS")}`;
		await Bun.write(program, `#!/bin/sh\nexec /usr/bin/ssh -F none ${known} ${options} "$@"\n`);
		chmodSync(program, 0o755);
		const socket = serviceVariable("DOCKER_HOST").replace("unix://", "");
		const host = `${serviceVariable("HERMES_TEST_SSH_HOST")}:${serviceVariable("HERMES_TEST_SSH_PORT")}`;
		const engine = `ssh://${serviceVariable("HERMES_TEST_SSH_ROOT_USER")}@${host}${socket}`;
		const variables = { PATH: `${folder.path}:${process.env.PATH}` };
		return { engine, variables, [Symbol.dispose]: () => folder[Symbol.dispose]() };
	}

	test(
		"runs commands, gives them input, and keeps files in volumes",
		async () => {
			using client = await sshClient(`-i ${serviceVariable("HERMES_TEST_SSH_KEY")}`);
			await using sandbox = await openDocker(client);
			await using shell = await openDockerShell(sandbox);
			const input = "x".repeat(300_000);
			expect(await execute(shell, "wc -c; exit 3", { signal, stdin: input })).toMatchObject({
				output: "300000\n",
				exitCode: 3,
			});
			const all = await Promise.all(
				Array.from({ length: 12 }, (_, call) => execute(shell, `echo ${call}`, { signal })),
			);
			expect(all.map(({ output }) => output)).toEqual(all.map((_, call) => `${call}\n`));
			expect((await execute(shell, "sleep 30", { signal, timeoutSeconds: 0.5 })).exitCode).toBe(124);
		},
		limitMs,
	);

	test(
		"that cannot be logged in to is named with what ssh says",
		async () => {
			using client = await sshClient("-i /nope/key -o IdentitiesOnly=yes");
			await expect(openDocker(client)).rejects.toThrow(
				/Cannot reach a container engine \(DOCKER_HOST\): ssh:\/\/root@.*Permission denied/,
			);
		},
		limitMs,
	);
});
