/** Programs on another machine: streams, variables, ends and leftovers. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { hasSsh, openSsh, type SshPlace, said, saidBy, start } from "./ssh-service.ts";

const path = "/usr/bin:/bin";

for (const transport of ["builtin", "openssh"] as const) {
	describe.skipIf(!(await hasSsh()))(`ssh, ${transport}`, () => {
		let place: SshPlace;
		beforeAll(async () => {
			place = await openSsh({ settings: { ssh_transport: transport } });
		});
		afterAll(() => place[Symbol.asyncDispose]());

		test("start() runs as the remote user with what a login gives", async () => {
			const seen = await saidBy(place.sandbox, 'whoami; echo "$HOME $USER"; pwd');
			expect(seen).toBe("sshuser\n/home/sshuser sshuser\n/\n");
			expect(place.sandbox.ranOn).toMatch(/^ssh:sshuser@127\.0\.0\.1:\d+$/);
		});

		test("start() gives exactly the variables it is given when they are a whole environment", async () => {
			const env = { PATH: path, A: "it's\n$x", HOME: "/h", "not a name": "1" };
			const seen = await saidBy(place.sandbox, "/usr/bin/env -0 | tr '\\0\\n' '\\n|' | sort", { env, cwd: "/usr" });
			const lines = seen.split("\n").map((line) => line.replace(/^(HERMES_\w+)=.+/, "$1"));
			expect(lines.filter((line) => line !== "")).toEqual([
				"A=it's|$x",
				"HERMES_CALL",
				"HERMES_RUN",
				"HOME=/h",
				`PATH=${path}`,
				"PWD=/usr",
				"SHLVL=1",
				"_=/usr/bin/env",
			]);
		});

		test("start() keeps variables out of the remote process list", async () => {
			const env = { PATH: path, TOKEN: "s3cr3t-value" };
			const seen = await saidBy(place.sandbox, "cat /proc/[0-9]*/cmdline 2>/dev/null | grep -c s3cr3t-valu[e]", {
				env,
			});
			expect(seen).toBe("0\n");
			const folders =
				"ls -ld /dev/shm/hermes-ssh-*/ | cut -c1-10 | sort -u; stat -c %a /dev/shm/hermes-ssh-*/* | sort -u";
			expect(await saidBy(place.sandbox, folders, { env })).toBe("drwx------\n600\n");
		});

		test("start() sends the same variables once, and sends them again when their file is gone", async () => {
			const env = { PATH: path, A: "1" };
			const list = "ls /dev/shm/hermes-ssh-*/* | wc -l";
			const first = await saidBy(place.sandbox, list, { env });
			expect(await saidBy(place.sandbox, list, { env })).toBe(first);
			await saidBy(place.sandbox, "rm -f /dev/shm/hermes-ssh-*/*", { env });
			expect(await saidBy(place.sandbox, "echo $A", { env })).toBe("1\n");
		});

		test("start() removes the files of variables that are no longer used", async () => {
			for (let value = 0; value < 5; value++)
				await saidBy(place.sandbox, "true", { env: { PATH: path, A: `v${value}` } });
			const count = await saidBy(place.sandbox, "ls /dev/shm/hermes-ssh-*/* | wc -l", {
				env: { PATH: path, A: "last" },
			});
			expect(Number(count)).toBeLessThanOrEqual(2);
		});

		test("start() keeps output and control stream apart when asked to", async () => {
			const running = await start(place.sandbox, ["bash", "-c", "echo out; echo err >&2; exit 4"], { control: true });
			const [output, control, exitCode] = await Promise.all([
				new Response(running.output).text(),
				new Response(running.control).text(),
				running.exited,
			]);
			expect({ output, control, exitCode }).toEqual({ output: "out\n", control: "err\n", exitCode: 4 });
		});

		test("start() hands input over, with and without variables to send", async () => {
			const bytes = Buffer.from(`first\n${"x".repeat(200_000)}\n`);
			const env = { PATH: path, B: "2" };
			for (const _round of [1, 2]) {
				const { output } = await said(place.sandbox, ["sh", "-c", "read a; echo $a; wc -c"], { env, stdin: bytes });
				expect(output).toBe("first\n200001\n");
			}
			expect((await said(place.sandbox, ["cat"])).output).toBe("");
		});

		test("start() lets its caller write while it runs", async () => {
			const running = await start(place.sandbox, ["cat"], { stdin: "pipe", env: { PATH: path, C: "3" } });
			const writer = running.stdin?.getWriter();
			await writer?.write(Buffer.from("a"));
			await writer?.write(Buffer.from("b"));
			await writer?.close();
			expect(await new Response(running.output).text()).toBe("ab");
		});

		test("start() takes arguments that are too long for a line", async () => {
			const long = "it's ".repeat(24_000);
			expect((await said(place.sandbox, ["printf", "%s", long], { env: { PATH: path } })).output).toBe(long);
			expect((await said(place.sandbox, ["printf", "%s", long], { stdin: Buffer.from("x") })).output).toBe(long);
		});

		test("start() says 127 for a program or folder that is not there, and 137 after a SIGKILL", async () => {
			expect((await said(place.sandbox, ["no-such-program"])).exitCode).toBe(127);
			expect(await said(place.sandbox, ["true"], { cwd: "/no/such" })).toEqual({
				output: 'Cannot start "true": its folder is gone\n',
				exitCode: 127,
			});
			expect((await said(place.sandbox, ["bash", "-c", "kill -9 $$"])).exitCode).toBe(137);
		});

		test("start() ends output with the program although a job holds the stream", async () => {
			const wanted = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
			for (let round = 0; round < 3; round++) expect(await saidBy(place.sandbox, "sleep 3 & seq 20000")).toBe(wanted);
		});

		test("start() gives a terminal of the size that was asked for", async () => {
			const pty = { columns: 101, rows: 31 };
			const env = { PATH: path, D: "4" };
			const running = await start(place.sandbox, ["bash", "-c", "test -t 1 && stty size; read a; echo got $a $D"], {
				pty,
				env,
				stdin: "pipe",
			});
			await running.stdin?.getWriter().write(Buffer.from("word\n"));
			const output = await new Response(running.output).text();
			expect({ output: output.replace(/^word\r\n/m, ""), code: await running.exited }).toEqual({
				output: "31 101\r\ngot word 4\r\n",
				code: 0,
			});
		});

		test("kill() ends the group, what left it, and what ignores being asked", async () => {
			const script = `trap '' TERM; setsid sleep 314 & (setsid sh -c "trap '' TERM; sleep 315; :" &); sleep 316; :`;
			const running = await start(place.sandbox, ["bash", "-c", script], { env: { PATH: path } });
			const count = "pgrep -u sshuser -fc '^sleep 31[4-6]'";
			while ((await saidBy(place.sandbox, count)) !== "3\n") await Bun.sleep(20);
			await running.kill();
			expect(await saidBy(place.sandbox, count)).toBe("0\n");
			expect(await running.exited).toBeGreaterThan(128);
		});

		test("kill() passes a signal on", async () => {
			const script = "trap 'echo caught; exit 3' USR1; echo up; read line";
			const running = await start(place.sandbox, ["bash", "-c", script], { stdin: "pipe" });
			const reader = running.output.getReader();
			await reader.read();
			await running.kill("SIGUSR1");
			expect(new TextDecoder().decode((await reader.read()).value)).toBe("caught\n");
			expect(await running.exited).toBe(3);
		});

		test("start() that is interrupted leaves nothing running", async () => {
			const controller = new AbortController();
			const starting = start(place.sandbox, ["sleep", "317"], { signal: controller.signal });
			controller.abort();
			expect(starting).rejects.toThrow("abort");
			const count = "sleep 0.3; pgrep -u sshuser -fc '^sleep 317'";
			while ((await saidBy(place.sandbox, count)) !== "0\n") await Bun.sleep(20);
		});

		test("start() runs 16 programs at once, whatever the server allows a connection", async () => {
			const numbers = Array.from({ length: 16 }, (_, index) => String(index));
			const outputs = await Promise.all(numbers.map((number) => saidBy(place.sandbox, `sleep 0.3; echo ${number}`)));
			expect(outputs).toEqual(numbers.map((number) => `${number}\n`));
		});

		test("kill() does not wait behind the programs it is to end", async () => {
			const running = await Promise.all(
				Array.from({ length: 8 }, () => start(place.sandbox, ["sleep", "318"], { env: { PATH: path } })),
			);
			await Promise.all(running.map((one) => one.kill()));
			expect((await Promise.all(running.map((one) => one.exited))).every((code) => code > 128)).toBe(true);
		});

		test("disposing a sandbox ends its programs, removes its files and leaves other sandboxes alone", async () => {
			const settings = { ssh_transport: transport };
			const other = await openSsh({ settings });
			const slow = saidBy(place.sandbox, "sleep 0.7; echo done");
			await start(other.sandbox, ["sleep", "319"], { env: { PATH: path } });
			const before = readdirSync("/dev/shm").filter((name) => name.startsWith("hermes-ssh-")).length;
			await other[Symbol.asyncDispose]();
			const after = readdirSync("/dev/shm").filter((name) => name.startsWith("hermes-ssh-")).length;
			expect(await saidBy(place.sandbox, "pgrep -u sshuser -fc '^sleep 319'")).toBe("0\n");
			expect({ slow: await slow, gone: before - after }).toEqual({ slow: "done\n", gone: 1 });
		});
	});
}
