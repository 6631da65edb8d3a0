/** Managed sandboxes when the service, the network or the account fails. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Backend, BackendUnavailable, type Sandbox } from "../../../lib/environments/backend.ts";
import { settings } from "../../../lib/environments/modal/settings.ts";
import { createPool, type Pool } from "../../../lib/environments/pool/pool.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import type { Shell } from "../../../lib/environments/shell/shell.ts";
import { hasManagedModal, openManagedShell, startTestGateway, type TestGateway } from "./managed-service.ts";

setDefaultTimeout(120_000);

const { signal } = new AbortController();
const run = (shell: Shell, command: string, timeoutSeconds = 60) => execute(shell, command, { signal, timeoutSeconds });

/** One gateway with one session. */
async function openAll(): Promise<{ started: TestGateway; sandbox: Sandbox; shell: Shell } & AsyncDisposable> {
	const started = await startTestGateway();
	const sandbox = await started.open();
	const shell = await openManagedShell(sandbox);
	return {
		started,
		sandbox,
		shell,
		async [Symbol.asyncDispose]() {
			await Promise.allSettled([shell[Symbol.asyncDispose]()]);
			await Promise.allSettled([sandbox[Symbol.asyncDispose]()]);
			await started[Symbol.asyncDispose]();
		},
	};
}

/** A session as a run of hermes has it, with what its user is told. */
function openPool(started: TestGateway): { pool: Pool; told: string[] } {
	const told: string[] = [];
	const backend: Backend = {
		name: "modal",
		description: "managed",
		config: settings,
		files: "sync",
		pty: false,
		available: async () => true,
		open: (_config, context) => started.open(context),
	};
	const target = { backend, config: {}, cwd: "~", environment: {} };
	const pool = createPool({
		target,
		targetFor: async () => target,
		isPinned: true,
		lifetimeSeconds: 300,
		context: { home: started.home, hostEnvironment: started.variables, onProgress: (line) => told.push(line) },
		onWarning: (text) => told.push(text),
	});
	return { pool, told };
}

describe.skipIf(!(await hasManagedModal()))("managed modal", () => {
	describe("a sandbox that expires", () => {
		test("between commands: the user is told, and the command runs in a new one with the files of the snapshot", async () => {
			await using started = await startTestGateway();
			const { pool, told } = openPool(started);
			const shell = pool.shell("");
			await shell.execute("echo kept >~/file; export A=1; cd /usr", { signal });
			const [first = ""] = started.gateway.running();
			await started.gateway.expire(first);
			const { output, ended, notice, ranOn } = await shell.execute("cat ~/file; echo $A; pwd", { signal });
			const [second = ""] = started.gateway.running();
			expect({ output, ended, ranOn, notice }).toEqual({
				output: "kept\n1\n/usr\n",
				ended: "exited",
				ranOn: `managed-modal:${second}`,
				notice: `The sandbox managed-modal:${first} is gone; this ran in a new one, managed-modal:${second}`,
			});
			expect(told.filter((line) => line.includes("is gone"))).toEqual([
				`The managed sandbox ${first} is gone (HTTP 404: sandbox not found); the task goes on in a new one, with the files of the last snapshot where there is one`,
			]);
			await pool[Symbol.asyncDispose]();
		});

		test("during a command: the command fails and is not run again, and the next one runs in a new sandbox", async () => {
			await using started = await startTestGateway();
			const { pool } = openPool(started);
			const shell = pool.shell("");
			await shell.execute("echo kept >~/file", { signal });
			const [first = ""] = started.gateway.running();
			const onOutput = () => void started.gateway.expire(first);
			const failed = shell.execute("echo x >>~/file; echo up; sleep 30", { signal, onOutput });
			expect(failed).rejects.toThrow(BackendUnavailable);
			const { message } = await failed.catch((cause) => cause);
			expect(message).toBe(
				`Cannot use the managed sandbox ${first}: it is gone (HTTP 404: sandbox not found); the next command runs in a new one, with the files of the last snapshot where there is one`,
			);
			const { output } = await shell.execute("cat ~/file", { signal });
			expect(output).toBe("kept\nx\n");
			await pool[Symbol.asyncDispose]();
			expect(started.gateway.running()).toEqual([]);
		});
	});

	describe("creating", () => {
		test("waits as long as a throttled gateway asks for, says so, and makes one sandbox", async () => {
			await using started = await startTestGateway();
			const busy = { status: 429, headers: { "retry-after": "1" }, body: { error: "slow down" } };
			const matches = /^POST \/v1\/sandboxes$/;
			started.gateway.faults.queue.push(
				{ matches, does: busy },
				{ matches, does: { status: 503 } },
				{ matches, does: "dropAnswer" },
			);
			const told: string[] = [];
			await using sandbox = await started.open({ onProgress: (line) => told.push(line) });
			expect(started.gateway.running().map((id) => `managed-modal:${id}`)).toEqual([sandbox.ranOn]);
			expect(told).toEqual([
				"Starting a managed Modal sandbox of python:3.11",
				"The gateway asks for patience (HTTP 429: slow down); trying again in 1 s",
			]);
		});

		test("asks for what the settings say", async () => {
			await using started = await startTestGateway();
			const chosen = {
				modal_image: "debian",
				container_memory: 0,
				container_disk: 0,
				timeout: 600,
				modal_timeout: 7200,
			};
			await using _sandbox = await started.open({ settings: chosen, taskId: "task" });
			expect(started.gateway.creates).toEqual([
				{
					image: "debian",
					cwd: "/root",
					cpu: 1,
					memoryMiB: 5120,
					timeoutMs: 7_200_000,
					idleTimeoutMs: 600_000,
					persistentFilesystem: true,
					logicalKey: "task",
				},
			]);
		});

		test("R160: starts from the image when the kept files cannot be restored, says so, and keeps what was kept", async () => {
			await using started = await startTestGateway();
			const { gateway } = started;
			const once = async (command: string) => {
				const told: string[] = [];
				await using sandbox = await started.open({ onProgress: (line) => told.push(line) });
				await using shell = await openManagedShell(sandbox);
				return { output: (await run(shell, command)).output, told };
			};
			await once("echo first >~/file");
			gateway.faults.failsRestore = true;
			const broken = await once("cat ~/file; echo second >~/file");
			gateway.faults.failsRestore = false;
			expect({ broken, after: (await once("cat ~/file")).output }).toEqual({
				broken: {
					output: "cat: /root/file: No such file or directory\n",
					told: [
						"Starting a managed Modal sandbox of python:3.11",
						"The files kept for this task cannot be restored (HTTP 500: the snapshot cannot be restored). The sandbox starts from its image, and what is done in it is not kept, so that the kept files stay as they are",
						"Starting a managed Modal sandbox of python:3.11",
					],
				},
				after: "first\n",
			});
		});

		test("fails in one sentence when the gateway cannot be reached, and gives up when it is interrupted", async () => {
			await using started = await startTestGateway();
			const variables = { ...started.variables, MODAL_GATEWAY_URL: "http://127.0.0.1:9" };
			const opening = started.open({ hostEnvironment: variables, signal: AbortSignal.timeout(500) });
			expect(await opening.catch((cause) => cause.name)).toBe("TimeoutError");
		});
	});

	describe("a connection that breaks", () => {
		let all: Awaited<ReturnType<typeof openAll>>;
		beforeAll(async () => {
			all = await openAll();
		});
		afterAll(() => all[Symbol.asyncDispose]());

		test("after a megabyte of an answer: everything arrives once", async () => {
			const { started, shell } = all;
			started.gateway.faults.dropAfterBytes = 1_000_000;
			const { output, exitCode } = await run(shell, "seq 1 300000");
			started.gateway.faults.dropAfterBytes = 0;
			expect({ output: Bun.hash(output), exitCode }).toEqual({ output: Bun.hash(`${numbers(300_000)}`), exitCode: 0 });
		});

		test("when the service cuts long output: everything arrives all the same", async () => {
			const { started, shell } = all;
			started.gateway.faults.keepOutput = 100_000;
			const { output } = await run(shell, "seq 1 100000");
			started.gateway.faults.keepOutput = 0;
			expect(Bun.hash(output)).toEqual(Bun.hash(numbers(100_000)));
		});

		test.each(["drop", "dropAnswer"] as const)("when a command is started (%s): it runs once", async (does) => {
			const { started, shell } = all;
			const matches = /^POST \S+\/execs$/;
			started.gateway.faults.queue.push({ matches, does }, { matches, does });
			const { output } = await run(shell, `echo x >>${does}; cat ${does}`);
			expect(output).toBe("x\n");
		});

		test("while a command runs: it goes on", async () => {
			const { started, shell } = all;
			const matches = /^GET /;
			const faults = [
				{ status: 500 },
				{ status: 429, headers: { "retry-after": "0.2" } },
				"drop",
				{ status: 503 },
			] as const;
			const running = run(shell, "echo a; sleep 0.5; echo b");
			started.gateway.faults.queue.push(...faults.map((does) => ({ matches, does })));
			expect((await running).output).toBe("a\nb\n");
			expect(started.gateway.faults.queue).toEqual([]);
		});

		// A fetch waits five seconds for something to tell.
		test("R152, R155, R157: no request lasts as long as the command, and its output goes on after a break", async () => {
			const { started, shell } = all;
			const before = started.gateway.requests.length;
			const running = run(shell, "echo a; sleep 6; echo b");
			await Bun.sleep(1_000);
			started.gateway.faults.queue.push(...Array.from({ length: 6 }, () => ({ matches: /^/, does: "drop" }) as const));
			const { output, exitCode } = await running;
			expect({ output, exitCode }).toEqual({ output: "a\nb\n", exitCode: 0 });
			expect(
				started.gateway.requests.slice(before).filter((name) => /^POST .*\/execs$/.test(name)).length,
			).toBeGreaterThan(1);
		});

		test("a service that answers a start only at its end: timeouts are kept, and the sandbox lives on", async () => {
			const { started, shell, sandbox } = all;
			started.gateway.faults.answersAtEnd = true;
			const { exitCode, output } = await run(shell, "echo a; sleep 30", 2);
			started.gateway.faults.answersAtEnd = false;
			expect({ exitCode, output }).toEqual({ exitCode: 124, output: "a\n\n[Command timed out after 2s]" });
			expect((await run(shell, "echo next")).ranOn).toBe(sandbox.ranOn);
		});

		test("a slow service costs time, not correctness", async () => {
			const { started, shell } = all;
			started.gateway.faults.latencyMs = 150;
			const { output, exitCode } = await run(shell, "echo slow; exit 5");
			started.gateway.faults.latencyMs = 0;
			expect({ output, exitCode }).toEqual({ output: "slow\n", exitCode: 5 });
		});

		test("an interrupt before the service has taken the command leaves nothing running", async () => {
			const { started, shell } = all;
			started.gateway.faults.latencyMs = 300;
			const controller = new AbortController();
			setTimeout(() => controller.abort(), 100);
			const { ended } = await execute(shell, "sleep 77", { signal: controller.signal });
			started.gateway.faults.latencyMs = 0;
			expect(ended).toBe("interrupted");
			// What the service had begun to start comes and goes.
			const look = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 7[7]'";
			await Bun.sleep(400);
			while ((await run(shell, look)).output !== "0\n") await Bun.sleep(100);
		});
	});

	describe("the token", () => {
		test("that is revoked while a session is open: the command fails with one sentence that names where it is from", async () => {
			await using all = await openAll();
			all.started.gateway.faults.tokens.clear();
			const failed = await run(all.shell, "echo hi").catch((cause) => cause);
			expect(failed).toBeInstanceOf(BackendUnavailable);
			expect(failed.message).toEndWith(
				"the gateway does not accept the token of TOOL_GATEWAY_USER_TOKEN (HTTP 401: invalid token)",
			);
			expect(failed.message).not.toContain(all.started.gateway.token);
		});

		test("is read anew when another process has logged in; one that ended by our clock is sent all the same", async () => {
			await using started = await startTestGateway();
			const { gateway, home } = started;
			const logIn = (access_token: string) => {
				mkdirSync(home, { recursive: true });
				const nous = { access_token, expires_at: "2001-01-01T00:00:00Z" };
				writeFileSync(join(home, "auth.json"), JSON.stringify({ version: 1, providers: { nous } }));
			};
			logIn(gateway.token);
			const hostEnvironment = { MODAL_GATEWAY_URL: gateway.url };
			await using sandbox = await started.open({ hostEnvironment });
			await using shell = await openManagedShell(sandbox);
			gateway.faults.tokens.clear();
			gateway.faults.tokens.add("another");
			logIn("another");
			expect((await run(shell, "echo hi")).output).toBe("hi\n");
		});

		test("of somebody who may not use it: one sentence says what to do", async () => {
			await using started = await startTestGateway();
			started.gateway.faults.isEntitled = false;
			const { message } = await started.open().catch((cause) => cause);
			expect(message).toBe(
				'Cannot open a managed Modal sandbox of "python:3.11": your account may not use it (HTTP 403: no active subscription); with a Modal account of your own, set terminal.modal_mode to direct',
			);
		});
	});

	describe.each([true, false])("two processes with the same task (one sandbox for both: %p)", (sharesByKey) => {
		test("do not disturb each other's commands, and whoever loses the sandbox goes on in another", async () => {
			await using started = await startTestGateway();
			started.gateway.faults.sharesByKey = sharesByKey;
			const [one, two] = [await started.open(), await started.open()];
			const [first, second] = await Promise.all([openManagedShell(one), openManagedShell(two)]);
			const said = await Promise.all([run(first, "export A=1; echo $A"), run(second, `echo \${A-none}`)]);
			expect(said.map(({ output }) => output)).toEqual(["1\n", "none\n"]);
			await run(first, "echo one >~/file");
			await first[Symbol.asyncDispose]();
			await one[Symbol.asyncDispose]();
			expect((await run(second, "echo two >>~/file; cat ~/file")).output).toBe(sharesByKey ? "one\ntwo\n" : "two\n");
			await second[Symbol.asyncDispose]();
			await two[Symbol.asyncDispose]();
			expect(started.gateway.running()).toEqual([]);
		});
	});
});

function numbers(count: number): string {
	return Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");
}
