/** Processes of the local backend, below the shell. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Sandbox, StartOptions } from "../../../lib/environments/backend.ts";
import { openLocal, plainEnvironment } from "../../support/local-sandbox.ts";

describe("start()", () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await openLocal();
	});
	afterAll(() => sandbox[Symbol.asyncDispose]());

	const started = (argv: readonly string[], options: Partial<StartOptions> = {}) =>
		sandbox.start(argv, {
			env: plainEnvironment,
			cwd: "/",
			stdin: "none",
			signal: new AbortController().signal,
			...options,
		});
	const ran = async (argv: readonly string[], options: Partial<StartOptions> = {}) => {
		const running = await started(argv, options);
		const [output, exitCode] = await Promise.all([new Response(running.output).text(), running.exited]);
		return { output, exitCode };
	};

	test.each([
		[["program-that-is-not-there"], {}, 127],
		[["/etc/passwd"], {}, 126],
		[["true"], { cwd: "/nope" }, 127],
		[["true", "x".repeat(200_000)], {}, 126],
	] as const)("%j exits with a code and a line when it cannot start", async (argv, options, exitCode) => {
		const result = await ran(argv, options);
		expect(result).toEqual({ output: expect.stringContaining(`Cannot start "${argv[0]}": `), exitCode });
	});

	test("gives exactly the environment it was given, and the marks of the call", async () => {
		const { output } = await ran(["/usr/bin/env"], { env: { A: "1" } });
		expect(output).toMatch(/^A=1\nHERMES_RUN=[\w-]+\nHERMES_CALL=\d+\n$/);
	});

	test("streams input that is written piece by piece", async () => {
		const running = await started(["cat"], { stdin: "pipe" });
		const writer = running.stdin?.getWriter();
		const output = new Response(running.output).text();
		for (const piece of ["a", "b".repeat(100_000), "c"]) await writer?.write(Buffer.from(piece));
		await writer?.close();
		expect(await output).toBe(`a${"b".repeat(100_000)}c`);
		expect(await running.exited).toBe(0);
	});

	test("starts nothing when its signal is aborted", async () => {
		await expect(started(["true"], { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
	});

	test("kill() with a signal signals the group once", async () => {
		const running = await started([
			"bash",
			"-c",
			"trap 'echo got; exit 7' USR1; echo up; while :; do sleep 0.05; done",
		]);
		const reader = running.output.getReader();
		await reader.read();
		await running.kill("SIGUSR1");
		expect(await running.exited).toBe(7);
		await reader.cancel();
	});

	test("a sandbox that is disposed of ends what it runs", async () => {
		const own = await openLocal();
		const { signal } = new AbortController();
		const running = await own.start(["sleep", "30"], { env: plainEnvironment, cwd: "/", stdin: "none", signal });
		await own[Symbol.asyncDispose]();
		expect(await running.exited).toBe(143);
	});
});
