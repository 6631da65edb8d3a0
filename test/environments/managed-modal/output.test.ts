/** Output of managed sandboxes, byte by byte, however it is cut on its way. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Running, Sandbox, StartOptions } from "../../../lib/environments/backend.ts";
import { hasManagedModal, startTestGateway, type TestGateway } from "./managed-service.ts";

setDefaultTimeout(120_000);

const { signal } = new AbortController();

describe.skipIf(!(await hasManagedModal()))("start()", () => {
	let started: TestGateway;
	let sandbox: Sandbox;
	beforeAll(async () => {
		started = await startTestGateway();
		sandbox = await started.open();
	});
	afterAll(async () => {
		await sandbox[Symbol.asyncDispose]();
		await started[Symbol.asyncDispose]();
	});
	const start = (script: string, options: Partial<StartOptions> = {}): Promise<Running> =>
		sandbox.start(["/bin/sh", "-c", script], { env: {}, cwd: "/", stdin: "none", signal, ...options });
	const bytesOf = async ({ output }: Running) => Buffer.from(await new Response(output).arrayBuffer());

	test("hands over every byte once while a program writes as fast as it can", async () => {
		const running = await start("yes 0123456 | head -c 12000000; yes abcdefg | head -c 1000003");
		const output = await bytesOf(running);
		const wanted = Buffer.concat([Buffer.alloc(12_000_000, "0123456\n"), Buffer.alloc(1_000_003, "abcdefg\n")]);
		expect({ code: await running.exited, isWhole: output.equals(wanted), length: output.length }).toEqual({
			code: 0,
			isWhole: true,
			length: wanted.length,
		});
	});

	test("hands over every byte once while a program writes bit by bit", async () => {
		const script =
			"i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i + 1)); [ $((i % 100)) != 0 ] || sleep 0.02; done";
		const wanted = Array.from({ length: 3_000 }, (_, index) => `line ${index}\n`).join("");
		expect((await bytesOf(await start(script))).toString()).toBe(wanted);
	});

	test("keeps control apart, and takes all bytes in and out", async () => {
		const every = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
		const running = await start("cat; head -c 200000 /dev/zero >&2; exit 7", { control: true, stdin: every });
		const [output, control, code] = await Promise.all([
			bytesOf(running),
			new Response(running.control).arrayBuffer(),
			running.exited,
		]);
		expect({ isSame: output.equals(every), control: control.byteLength, code }).toEqual({
			isSame: true,
			control: 200_000,
			code: 7,
		});
	});

	test("gives what is written to an open input to the program, and its end", async () => {
		const running = await start("cat; echo end", { stdin: "pipe" });
		const writer = running.stdin?.getWriter();
		const output = bytesOf(running);
		await writer?.write(Buffer.from("first\n"));
		await Bun.sleep(100);
		await writer?.write(new Uint8Array(1_200_000).fill(255));
		await writer?.close();
		const said = await output;
		expect({ start: said.subarray(0, 6).toString(), end: said.subarray(-4).toString(), length: said.length }).toEqual({
			start: "first\n",
			end: "end\n",
			length: 1_200_010,
		});
	});

	test("says of a program that is not there, or whose folder is not, what a shell would", async () => {
		const [gone, missing] = await Promise.all([
			start("true", { cwd: "/no/such/folder" }),
			sandbox.start(["no-such-program"], { env: {}, cwd: "/", stdin: "none", signal }),
		]);
		expect(await Promise.all([gone.exited, missing.exited])).toEqual([127, 127]);
	});

	test("R158: ends a program at its deadline inside the sandbox", async () => {
		const running = await start("sleep 60", { deadlineSeconds: 1 });
		expect([124, 137, 143]).toContain(await running.exited);
	});

	test("R154: asks for the life of a sandbox once, and never again", async () => {
		await (await start("true")).exited;
		expect(started.gateway.creates).toHaveLength(1);
		expect(
			started.gateway.requests
				.filter((name) => name.startsWith("POST /v1/sandboxes/"))
				.every((name) => /\/execs(\/|$)/.test(name)),
		).toBe(true);
	});
});
