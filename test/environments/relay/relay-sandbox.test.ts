import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { withRelay } from "../../../lib/environments/relay/relay-sandbox.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openLocal, openLocalShell, plainEnvironment } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { openLocalRelay } from "./open-local-relay.ts";
import { countProcesses, firstLine, firstLineOf, holdsWithin, said, sh, start } from "./programs.ts";

const limitMs = 60_000;

describe("withRelay()", () => {
	const signal = new AbortController().signal;

	async function fallback(python: string, helloTimeoutMs = 20_000) {
		await using local = await openLocal();
		const lines: string[] = [];
		const { PATH: path } = plainEnvironment;
		const onFallback = (line: string) => lines.push(line);
		const sandbox = await withRelay(local, { signal, path, python, helloTimeoutMs, onFallback });
		expect(sandbox).toBe(local);
		return { lines, output: await sh(sandbox, "echo works") };
	}

	test("uses the sandbox as it is where there is no python3, and says so once", async () => {
		expect(await fallback("/nonexistent/python3")).toEqual({
			lines: ["No relay runs in local (there is no python3); commands are started without it"],
			output: "works\n",
		});
	});

	test("uses the sandbox as it is when a python3 is none", async () => {
		using folder = temporaryFolder();
		const python = join(folder.path, "python3");
		writeFileSync(python, "#!/bin/sh\necho 'Python is not installed' >&2; exit 1\n");
		chmodSync(python, 0o755);
		expect(await fallback(python)).toEqual({
			lines: ["No relay runs in local (Python is not installed); commands are started without it"],
			output: "works\n",
		});
	});

	test("uses the sandbox as it is when a python3 says something else", async () => {
		const { lines, output } = await fallback("/usr/bin/yes");
		expect([lines.length, output]).toEqual([1, "works\n"]);
	});

	test(
		"uses the sandbox as it is when the relay takes too long",
		async () => {
			using folder = temporaryFolder();
			const python = join(folder.path, "python3");
			writeFileSync(python, "#!/bin/sh\nexec sleep 60\n");
			chmodSync(python, 0o755);
			expect(await fallback(python, 300)).toEqual({
				lines: ["No relay runs in local (it takes too long to start); commands are started without it"],
				output: "works\n",
			});
		},
		limitMs,
	);

	test("throws when it is interrupted", async () => {
		await using local = await openLocal();
		const aborted = AbortSignal.abort(new Error("stop"));
		await expect(withRelay(local, { signal: aborted, onFallback() {} })).rejects.toThrow("stop");
	});
});

describe.each([{ disabled: [] }, { disabled: ["posix_spawn", "epoll", "subreaper"] as const }])(
	"a relay, $disabled",
	({ disabled }) => {
		let sandbox: Sandbox;
		beforeAll(async () => {
			sandbox = await openLocalRelay({ disabled });
		});
		afterAll(() => sandbox[Symbol.asyncDispose]());

		test("start() keeps the order of output and errors", async () => {
			expect(await sh(sandbox, "for i in 1 2 3; do echo o$i; echo e$i >&2; done")).toBe("o1\ne1\no2\ne2\no3\ne3\n");
		});

		test("start() keeps errors apart as control", async () => {
			const running = await start(sandbox, ["bash", "-c", "echo a; echo b >&2"], { control: true });
			expect(await Promise.all([new Response(running.output).text(), new Response(running.control).text()])).toEqual([
				"a\n",
				"b\n",
			]);
		});

		test("start() gives the environment that it is told, and the marks of the call", async () => {
			const output = await sh(sandbox, "env | sort", { env: { PATH: "/usr/bin:/bin", A: "ä\nb" } });
			const names = [...output.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
			expect(names).toEqual(["A", "HERMES_CALL", "HERMES_RUN", "PATH", "PWD", "SHLVL", "_"].toSorted());
		});

		test("start() writes input of any size and closes it", async () => {
			const stdin = Buffer.alloc(3_000_000, "x");
			expect(await said(sandbox, ["wc", "-c"], { stdin })).toEqual({ output: "3000000\n", exitCode: 0 });
			expect(await said(sandbox, ["cat"], { stdin: new Uint8Array(0) })).toEqual({ output: "", exitCode: 0 });
			expect(await said(sandbox, ["true"], { stdin })).toEqual({ output: "", exitCode: 0 });
		});

		test("start() gives a pipe to write to", async () => {
			const running = await start(sandbox, ["cat"], { stdin: "pipe" });
			const writer = running.stdin?.getWriter();
			await writer?.write(Buffer.from("one "));
			await writer?.write(Buffer.alloc(2_000_000, "y"));
			await writer?.close();
			expect((await new Response(running.output).text()).length).toBe(2_000_004);
			expect(await running.exited).toBe(0);
		});

		test("start() tells a program that is not there, or not one", async () => {
			const missing = 'Cannot start "nonesuch": not found, or its folder is gone\n';
			expect([
				await said(sandbox, ["nonesuch"]),
				await said(sandbox, ["/etc/passwd"]),
				await said(sandbox, ["true"], { cwd: "/nonesuch" }),
			]).toEqual([
				{ output: missing, exitCode: 127 },
				{ output: 'Cannot start "/etc/passwd": Permission denied\n', exitCode: 126 },
				{ output: missing.replace("nonesuch", "true"), exitCode: 127 },
			]);
		});

		test("start() gives 128 and the number of the signal that ended a process", async () => {
			expect((await said(sandbox, ["bash", "-c", "kill -9 $$"])).exitCode).toBe(137);
		});

		test("start() leaves SIGPIPE alone", async () => {
			expect(await sh(sandbox, "yes | head -1; echo ${PIPESTATUS[0]}")).toBe("y\n141\n");
		});

		test("start() gives a terminal of the wanted size, which can change", async () => {
			const pty = { columns: 91, rows: 17 };
			const script = "tty >/dev/null && echo yes; stty size; read -r line; stty size; echo got $line; exit 4";
			const running = await start(sandbox, ["bash", "-c", script], { pty, stdin: "pipe" });
			let output = "";
			for await (const chunk of running.output) {
				output += Buffer.from(chunk).toString().replaceAll("\r", "");
				if (output !== "yes\n17 91\n") continue;
				running.resize?.({ columns: 40, rows: 9 });
				await running.stdin?.getWriter().write(Buffer.from("hi\n"));
			}
			expect([output.startsWith("yes\n17 91\n"), output.endsWith("9 40\ngot hi\n"), await running.exited]).toEqual([
				true,
				true,
				4,
			]);
		});

		test("start() does nothing when it is interrupted before", async () => {
			const signal = AbortSignal.abort(new Error("stop"));
			await expect(start(sandbox, ["true"], { signal })).rejects.toThrow("stop");
		});

		test(
			"start() starts a process once or not at all when it is interrupted meanwhile",
			async () => {
				using folder = temporaryFolder();
				const marker = join(folder.path, "marker");
				for (let round = 0; round < 20; round++) {
					const controller = new AbortController();
					const starting = start(sandbox, ["bash", "-c", `echo x >>${marker}; sleep 77.${round}`], {
						signal: controller.signal,
					});
					queueMicrotask(() => controller.abort(new Error("stop")));
					expect(await starting.catch((cause) => cause.message)).toBe("stop");
				}
				expect(await holdsWithin(20, () => countProcesses("sleep 77.") === 0)).toBe(true);
			},
			limitMs,
		);

		test("kill() with a signal sends it to the whole group", async () => {
			const running = await start(sandbox, ["bash", "-c", "trap 'echo caught; exit 5' USR1; echo up; sleep 60 & wait"]);
			const reader = running.output.getReader();
			expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("up\n");
			await running.kill("SIGUSR1");
			expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("caught\n");
			expect(await running.exited).toBe(5);
		});

		test(
			"start() ends a process and all it started when its deadline is over",
			async () => {
				const script = "setsid sleep 88.1 & sleep 88.1";
				const running = await start(sandbox, ["bash", "-c", script], { deadlineSeconds: 0.4 });
				void running.output.cancel();
				expect(await running.exited).toBe(143);
				expect(await holdsWithin(10, () => countProcesses("sleep 88.1") === 0)).toBe(true);
			},
			limitMs,
		);

		test("start() is not held up by a process whose output nobody reads", async () => {
			const stuck = await start(sandbox, ["yes"]);
			for (let round = 0; round < 20; round++) expect(await sh(sandbox, "echo on")).toBe("on\n");
			await stuck.kill();
			expect(await stuck.exited).toBe(143);
		});

		test("start() delivers what a slow reader has left in the pipe when the process ended", async () => {
			const running = await start(sandbox, ["bash", "-c", "sleep 60 & head -c 5000000 /dev/zero"]);
			await Bun.sleep(200);
			let length = 0;
			for await (const chunk of running.output) length += chunk.length;
			expect(length).toBe(5_000_000);
			await running.kill();
		});
	},
);

/** The number of the relay, which is the parent of what it starts. */
const relayOf = async (sandbox: Sandbox) => Number(await sh(sandbox, "echo $PPID"));

describe("the end of a relay", () => {
	test(
		"dispose() ends what runs, whatever it did to its session, and leaves what an ended command left",
		async () => {
			using folder = temporaryFolder();
			const proof = join(folder.path, "proof");
			const sandbox = await openLocalRelay();
			await sh(sandbox, `(while :; do echo tick; echo x >>${proof}; sleep 0.05; done) & echo $! >${proof}.pid`);
			const running = await start(sandbox, [
				"bash",
				"-c",
				"trap '' TERM; setsid sleep 99.1 & env -i setsid sleep 99.1 & echo up; sleep 99.1",
			]);
			expect(await firstLine(running)).toBe("up");
			await sandbox[Symbol.asyncDispose]();
			await using local = await openLocal();
			expect(countProcesses("sleep 99.1")).toBe(0);
			const size = () => Bun.file(proof).size;
			const before = size();
			// Also although it writes to a pipe that the relay had read.
			expect(await holdsWithin(10, () => size() > before + 10)).toBe(true);
			await sh(local, `kill $(cat ${proof}.pid)`);
		},
		limitMs,
	);

	test(
		"dispose() leaves a process alone that is to outlive us",
		async () => {
			const sandbox = await openLocalRelay();
			const server = await start(sandbox, ["bash", "-c", "while :; do echo tick; sleep 0.05; done # outlives"], {
				outlivesUs: true,
			});
			const other = await start(sandbox, ["sleep", "66.1"]);
			other.exited.catch(() => undefined);
			server.exited.catch(() => undefined);
			await sandbox[Symbol.asyncDispose]();
			await using local = await openLocal();
			expect(await holdsWithin(30, () => countProcesses("sleep 66.1") === 0)).toBe(true);
			expect(countProcesses("# outlives")).toBe(1);
			await sh(local, "pkill -f '# outlive[s]'");
		},
		limitMs,
	);

	test.each(["KILL", "TERM"])(
		"SIG%s to the relay during 16 commands ends them as interrupted, and nothing is run twice",
		async (signal) => {
			using folder = temporaryFolder();
			const lines: string[] = [];
			await using sandbox = await openLocalRelay({ onFallback: (line) => lines.push(line) });
			await using shell = await openLocalShell(sandbox, { files: "sync" });
			const relay = await relayOf(sandbox);
			const marker = join(folder.path, "started");
			const command = `echo x >>${marker}; setsid sleep 55.${signal.length} & sleep 55.${signal.length}`;
			const running = Array.from({ length: 16 }, () =>
				execute(shell, command, { signal: new AbortController().signal }),
			);
			expect(await holdsWithin(20, () => Bun.file(marker).size === 32)).toBe(true);
			process.kill(relay, `SIG${signal}`);
			const outcomes = await Promise.all(running);
			expect(new Set(outcomes.map(({ ended, exitCode }) => `${ended} ${exitCode}`))).toEqual(
				new Set(["interrupted 130"]),
			);
			expect(outcomes[0]?.output).toBe("[Command interrupted: relay lost: its output has ended]");
			expect(countProcesses(`sleep 55.${signal.length}`)).toBe(0);
			const { output, exitCode } = await execute(shell, "echo on; exit 3", { signal: new AbortController().signal });
			expect({ output, exitCode, lines: lines.length, runs: Bun.file(marker).size }).toEqual({
				output: "on\n",
				exitCode: 3,
				lines: 1,
				runs: 32,
			});
		},
		limitMs,
	);

	test(
		"commands of a session go on where they were when the relay is lost",
		async () => {
			await using sandbox = await openLocalRelay({ onFallback() {} });
			await using shell = await openLocalShell(sandbox, { files: "sync" });
			const run = (command: string) => execute(shell, command, { signal: new AbortController().signal });
			await run("cd /usr; export A=1; f() { echo f$A; }");
			process.kill(await relayOf(sandbox), "SIGKILL");
			expect(await holdsWithin(20, () => sandbox.helper === undefined)).toBe(true);
			expect((await run("pwd; f")).output).toBe("/usr\nf1\n");
		},
		limitMs,
	);

	test(
		"a killed host leaves nothing of a running command",
		async () => {
			const host = join(import.meta.dir, "run-and-hang.ts");
			const child = Bun.spawn([process.execPath, host, "local", "44.1"], { stdout: "pipe", stderr: "inherit" });
			expect(await firstLineOf(child.stdout)).toBe("up local");
			child.kill("SIGKILL");
			expect(await holdsWithin(2, () => countProcesses("sleep 44.1") === 0)).toBe(true);
		},
		limitMs,
	);
});
