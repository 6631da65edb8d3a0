/** What becomes of sandboxes and commands when Daytona, or the way to it, fails. */

import { afterAll, afterEach, beforeEach, describe, expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import { BackendUnavailable, ProcessLost, type Running, type Sandbox } from "../../../lib/environments/backend.ts";
import { withRelay } from "../../../lib/environments/relay/relay-sandbox.ts";
import { runToEnd } from "../../../lib/environments/shell/run-to-end.ts";
import type { Faults } from "../../support/daytona-server/faults.ts";
import { type DaytonaServer, startDaytonaServer } from "../../support/daytona-server/server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasDaytona, openDaytona } from "./daytona-service.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const signal = new AbortController().signal;
const limitMs = 60_000;

async function say(sandbox: Sandbox, script: string, stdin?: Uint8Array): Promise<string> {
	const { output } = await runToEnd(sandbox, ["sh", "-c", script], { signal, ...(stdin && { stdin }) });
	return output.toString("utf8");
}

function start(sandbox: Sandbox, script: string): Promise<Running> {
	return sandbox.start(["sh", "-c", script], { env: {}, cwd: "/", stdin: "none", signal });
}

async function firstOutput({ output }: Running): Promise<string> {
	const reader = output.getReader();
	const { value } = await reader.read();
	reader.releaseLock();
	return new TextDecoder().decode(value);
}

function failure(promise: Promise<unknown>): Promise<Error> {
	return promise.then(
		() => new Error("it did not fail"),
		(cause) => cause,
	);
}

describe.skipIf(!(await hasDaytona()))("daytona", () => {
	let server: DaytonaServer;
	let home: ReturnType<typeof temporaryFolder>;
	beforeEach(() => {
		server = startDaytonaServer();
		home = temporaryFolder();
	});
	afterEach(async () => {
		setSystemTime();
		await server[Symbol.asyncDispose]();
		home[Symbol.dispose]();
	}, limitMs);
	afterAll(() => setSystemTime());

	/** With a HERMES_HOME that outlives the sandbox. */
	const open = (settings = {}) => openDaytona(server, { settings, context: { home: home.path } });
	const onlyMachine = () => {
		const [machine] = server.machines();
		if (machine === undefined) throw new Error("there is no sandbox");
		return machine;
	};

	describe("opening", () => {
		test(
			"open() stops a sandbox when it is closed, and finds it again with its files",
			async () => {
				{
					await using place = await open();
					await say(place.sandbox, "echo kept >~/file");
					expect(place.told).toEqual([
						"Creating a Daytona sandbox of nikolaik/python-nodejs:python3.11-nodejs20",
						`Created the Daytona sandbox ${onlyMachine().name}`,
					]);
				}
				await Bun.sleep(50);
				expect(onlyMachine().state).toBe("stopped");
				await using place = await open();
				expect(await say(place.sandbox, "cat ~/file")).toBe("kept\n");
				expect(place.told).toEqual([`Starting the Daytona sandbox ${onlyMachine().name}, which was stopped`]);
				expect(server.requests.filter((line) => line === "POST /api/sandbox")).toHaveLength(1);
			},
			limitMs,
		);

		test("open() asks for the size, the image and the labels of the settings", async () => {
			await using _place = await open({
				daytona_image: "debian:12",
				container_cpu: 1.5,
				container_memory: 1025,
				container_disk: 20_000,
			});
			const { buildInfo, cpu, memory, disk, labels, autoStopInterval, autoDeleteInterval } = onlyMachine().request;
			expect({ buildInfo, cpu, memory, disk, autoStopInterval, autoDeleteInterval }).toEqual({
				buildInfo: { dockerfileContent: "FROM debian:12\n" },
				cpu: 2,
				memory: 2,
				disk: 10,
				autoStopInterval: 0,
				autoDeleteInterval: undefined,
			});
			expect(labels).toMatchObject({ hermes_task_id: "test", hermes_kept: "yes" });
			expect(_place.told[0]).toBe("terminal.container_disk asks for 20 GB; Daytona gives a sandbox 10 at most");
		});

		test("open() deletes a sandbox that is not to be kept", async () => {
			{
				await using place = await open({ container_persistent: false });
				expect(await say(place.sandbox, "echo hi")).toBe("hi\n");
				expect(server.machines()).toHaveLength(1);
			}
			expect(server.machines()).toEqual([]);
		});

		test("open() starts an archived sandbox", async () => {
			await (await open())[Symbol.asyncDispose]();
			await Bun.sleep(50);
			onlyMachine().state = "archived";
			await using place = await open();
			expect(await say(place.sandbox, "echo hi")).toBe("hi\n");
			expect(place.told).toEqual([`Starting the Daytona sandbox ${onlyMachine().name}, which was archived`]);
		});

		test("open() follows the pages of the list to a sandbox that has another name", async () => {
			const first = await open();
			await first[Symbol.asyncDispose]();
			await Bun.sleep(50);
			const { labels = {} } = onlyMachine().request;
			const ours = onlyMachine();
			Object.assign(ours, { name: "renamed" });
			Object.assign(labels, { extra: "1" });
			await using place = await open();
			expect(place.sandbox.ranOn).toBe(`daytona:${ours.id.slice(0, 8)}`);
			expect(server.machines()).toHaveLength(1);
		});

		test("R160: a kept sandbox that cannot be started is an error, never a new one in its place", async () => {
			await (await open())[Symbol.asyncDispose]();
			await Bun.sleep(50);
			server.faults.startFailure = "no runner has room";
			const cause = await failure(open());
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(cause.message).toContain("error state (no runner has room); delete it in Daytona's dashboard");
			expect(server.machines()).toHaveLength(1);
		});

		test("throttled creation: it waits as long as it is asked to, and the user is told", async () => {
			Object.assign(server.faults, { throttled: 2, retryAfterSeconds: 1 });
			await using place = await open();
			expect(await say(place.sandbox, "echo hi")).toBe("hi\n");
			expect(place.told.filter((line) => line.includes("Too many requests"))).toHaveLength(2);
			expect(server.machines()).toHaveLength(1);
		});

		test("a creation whose answer is lost makes no second sandbox", async () => {
			server.faults.isCreationLost = true;
			await using place = await open();
			expect(await say(place.sandbox, "echo hi")).toBe("hi\n");
			expect(server.machines()).toHaveLength(1);
		});

		test("errors of the service are waited out", async () => {
			server.faults.failing = 3;
			await using place = await open();
			server.faults.failing = 2;
			expect(await say(place.sandbox, "echo hi")).toBe("hi\n");
		});

		test("a user who gives up while it is created leaves no sandbox behind", async () => {
			server.faults.changeMs = 800;
			const giveUp = new AbortController();
			const opening = failure(
				openDaytona(server, { settings: { container_persistent: false }, context: { signal: giveUp.signal } }),
			);
			await Bun.sleep(200);
			giveUp.abort(new Error("enough"));
			expect((await opening).message).toBe("enough");
			for (let tries = 0; tries < 100 && server.machines().length > 0; tries++) await Bun.sleep(50);
			expect(server.machines()).toEqual([]);
		});

		test("a wrong key is one sentence that names the variable", async () => {
			const cause = await failure(
				openDaytona(server, { variables: { ...server.variables, DAYTONA_API_KEY: "other" } }),
			);
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(cause.message).toContain("Daytona does not accept the key in DAYTONA_API_KEY");
		});
	});

	describe("while it is open", () => {
		test("a sandbox that was stopped between two commands is started, and its files are there", async () => {
			await using place = await open();
			await say(place.sandbox, "echo kept >~/file");
			await onlyMachine().stop();
			expect(await say(place.sandbox, "cat ~/file")).toBe("kept\n");
			expect(place.told.at(-1)).toBe(`Starting the Daytona sandbox ${onlyMachine().name}, which was stopped`);
		});

		test("a sandbox that was stopped during a command: it is unavailable then, and the next command runs", async () => {
			await using place = await open();
			const running = await start(place.sandbox, "echo up; sleep 30");
			expect(await firstOutput(running)).toBe("up\n");
			const ended = failure(running.exited);
			await onlyMachine().stop();
			const cause = await ended;
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(cause.message).toMatch(/Cannot finish the command: the Daytona sandbox .* was stopped while/);
			expect(await say(place.sandbox, "echo next")).toBe("next\n");
		});

		test("a sandbox that expired between two commands is unavailable; what is opened next is a new one", async () => {
			await using place = await open();
			const { name } = onlyMachine();
			await onlyMachine().destroy();
			const cause = await failure(say(place.sandbox, "echo hi"));
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(cause.message).toBe(
				`Cannot use the Daytona sandbox ${name}: it was deleted or has expired, and its files with it`,
			);
			await using next = await open();
			expect(await say(next.sandbox, "echo hi")).toBe("hi\n");
		});

		test("a sandbox that expired during a command is unavailable", async () => {
			await using place = await open();
			const running = await start(place.sandbox, "echo up; sleep 30");
			expect(await firstOutput(running)).toBe("up\n");
			const ended = failure(running.exited);
			await onlyMachine().destroy();
			const cause = await ended;
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(cause.message).toContain("was deleted or has expired while it ran");
		});

		test("a sandbox whose files are lost with a restart runs commands all the same", async () => {
			await using place = await open();
			await say(place.sandbox, "echo kept >~/file");
			server.faults.losesFiles = true;
			await onlyMachine().stop();
			expect(await say(place.sandbox, "cat ~/file 2>/dev/null || echo none")).toBe("none\n");
		});

		test("a stream that is dropped after 1 MB goes on where it was, byte by byte", async () => {
			await using place = await open();
			server.faults.cutAfterBytes = [1_000_000, 1_500_000, 100];
			const running = await start(place.sandbox, "seq 500000");
			const text = await new Response(running.output).text();
			expect(text).toBe(Array.from({ length: 500_000 }, (_, index) => `${index + 1}\n`).join(""));
			expect(await running.exited).toBe(0);
			expect(server.faults.cutAfterBytes).toEqual([]);
		});

		test.each<[string, Partial<Faults>]>([
			["a connection that breaks before the command is started is made again", { cutAfterBytes: [10, 200] }],
			["a terminal that loses what is typed into it is given up for another", { deafTerminals: 1 }],
		])("%s, and the command runs once", async (_, faults) => {
			await using place = await open();
			await say(place.sandbox, "rm -f ~/runs");
			Object.assign(server.faults, faults);
			await say(place.sandbox, "echo ran >>~/runs");
			expect(await say(place.sandbox, "cat ~/runs")).toBe("ran\n");
			expect([server.faults.cutAfterBytes, server.faults.deafTerminals]).toEqual([[], 0]);
		});

		test("R152: a process is reached again after a long break, and its output goes on", async () => {
			await using place = await open();
			server.faults.cutAfterBytes = [700];
			const running = await start(
				place.sandbox,
				"echo one; sleep 0.5; echo two; head -c 2000 /dev/zero | tr '\\0' x; echo; echo three",
			);
			const text = new Response(running.output).text();
			await Bun.sleep(300);
			server.faults.isUnreachable = true;
			await Bun.sleep(1_500);
			server.faults.isUnreachable = false;
			expect(await text).toBe(`one\ntwo\n${"x".repeat(2_000)}\nthree\n`);
			expect(await running.exited).toBe(0);
		});

		test("a reader that is slow loses nothing, although the service drops whoever is", async () => {
			await using place = await open();
			const running = await start(place.sandbox, "head -c 5000000 /dev/zero | tr '\\0' x; echo end");
			let length = 0;
			let last = "";
			for await (const chunk of running.output) {
				if (length < 1_000_000) await Bun.sleep(20);
				length += chunk.length;
				last = new TextDecoder().decode(chunk.slice(-4));
			}
			expect({ length, last }).toEqual({ length: 5_000_004, last: "end\n" });
		});

		test("a terminal that somebody ended is a process lost; the sandbox goes on", async () => {
			await using place = await open();
			const running = await start(place.sandbox, "echo up; kill -9 $(ps -o ppid= -p $$); sleep 30");
			const cause = await failure(running.exited);
			expect(cause).toBeInstanceOf(ProcessLost);
			expect(await say(place.sandbox, "echo next")).toBe("next\n");
		});

		test("a key that is revoked while it is open: the next command says so", async () => {
			await using place = await open();
			server.faults.isRevoked = true;
			const cause = await failure(say(place.sandbox, "echo hi"));
			server.faults.isRevoked = false;
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(cause.message).toContain("Daytona does not accept the key in DAYTONA_API_KEY");
		});

		test("clocks that are wrong, here or there, change nothing", async () => {
			server.faults.clockSkewMs = -86_400_000;
			setSystemTime(new Date(Date.now() + 3_600_000));
			await using place = await open();
			setSystemTime(new Date("2001-01-01"));
			expect(await say(place.sandbox, "echo hi")).toBe("hi\n");
			await onlyMachine().stop();
			expect(await say(place.sandbox, "echo again")).toBe("again\n");
		});

		test("bytes come and go as they are", async () => {
			await using place = await open();
			const bytes = crypto.getRandomValues(new Uint8Array(50_000));
			const { output } = await runToEnd(place.sandbox, ["cat"], { signal, stdin: bytes });
			expect(output.equals(bytes)).toBe(true);
		});

		test("input that comes bit by bit arrives whole, although its connection breaks again and again", async () => {
			await using place = await open();
			// The first connection is that of the output.
			server.faults.cutAfterBytes = [Number.POSITIVE_INFINITY, 900, 150, 400, 10];
			const argv = ["sha256sum"];
			const running = await place.sandbox.start(argv, { env: {}, cwd: "/", stdin: "pipe", signal });
			const bytes = crypto.getRandomValues(new Uint8Array(65_536));
			const hash = new Bun.CryptoHasher("sha256");
			const writer = running.stdin?.getWriter();
			for (let count = 0; count < 40; count++) {
				const piece = bytes.slice(0, 65_536 - count * 1_000);
				hash.update(piece);
				await writer?.write(piece);
			}
			await writer?.close();
			expect(await new Response(running.output).text()).toBe(`${hash.digest("hex")}  -\n`);
			expect(await running.exited).toBe(0);
			expect(server.faults.cutAfterBytes).toEqual([]);
		});

		test("a relay goes on although its connections break", async () => {
			await using place = await open();
			const lost: string[] = [];
			const sandbox = await withRelay(place.sandbox, { signal, onFallback: (line) => lost.push(line) });
			for (let count = 0; count < 12; count++) {
				if (count % 3 === 0) for (const machine of server.machines()) machine.terminals?.cut();
				expect(await say(sandbox, `echo ${count}; cat`, Buffer.alloc(100_000, "x"))).toBe(
					`${count}\n${"x".repeat(100_000)}`,
				);
			}
			await sandbox[Symbol.asyncDispose]();
			expect(lost).toEqual([]);
		});

		test("R158: a command is ended at its time although it streams", async () => {
			await using place = await open();
			const running = await start(place.sandbox, "while :; do echo x; sleep 0.01; done");
			expect(await firstOutput(running)).toStartWith("x\n");
			await running.kill();
			expect(await running.exited).toBeGreaterThan(128);
		});

		test("R155, R157: no request of the service lasts as long as the command", async () => {
			await using place = await open();
			server.faults.cutAfterBytes = [600, 600, 600];
			expect(await say(place.sandbox, "sleep 2; echo late")).toBe("late\n");
			expect(server.requests.filter((line) => line.includes("/process/execute"))).toEqual([]);
		});
	});

	describe("two processes with the same task", () => {
		test("both use one sandbox, and the last to leave stops it", async () => {
			const [first, second] = await Promise.all([open(), open()]);
			expect(first.sandbox.ranOn).toBe(second.sandbox.ranOn);
			expect(server.machines()).toHaveLength(1);
			await say(first.sandbox, "echo shared >~/file");
			await first[Symbol.asyncDispose]();
			expect(onlyMachine().state).toBe("started");
			expect(await say(second.sandbox, "cat ~/file")).toBe("shared\n");
			await second[Symbol.asyncDispose]();
			await Bun.sleep(50);
			expect(onlyMachine().state).toBe("stopped");
		});

		test("R154: coming to a sandbox changes nothing of how long it lives", async () => {
			await using first = await open();
			await using second = await open();
			await say(second.sandbox, "true");
			expect(first.sandbox.ranOn).toBe(second.sandbox.ranOn);
			expect(server.requests.filter((line) => /autostop|ttl|autodelete|autoarchive/.test(line))).toEqual([]);
		});
	});
});
