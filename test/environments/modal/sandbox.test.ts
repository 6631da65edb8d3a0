/** What the shell above does not show of a Modal sandbox: terminals, input of any size, the limits of Modal. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Sandbox, StartOptions } from "../../../lib/environments/backend.ts";
import { type ModalServer, startModalServer } from "../../support/modal-server/start-server.ts";
import { hasModalServer, openModal } from "./modal-place.ts";

const limitMs = 60_000;
const env = { PATH: "/usr/bin:/bin" };

describe.skipIf(!(await hasModalServer()))("start()", () => {
	let server: ModalServer;
	let sandbox: Sandbox;
	beforeAll(async () => {
		server = await startModalServer();
		sandbox = await openModal(server, {
			settings: { modal_image: "debian:12", container_cpu: 0, container_memory: 0 },
		});
	}, limitMs);
	afterAll(async () => {
		await sandbox[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	}, limitMs);

	const signal = new AbortController().signal;
	const start = (script: string, options: Partial<StartOptions> = {}, ...words: readonly string[]) =>
		sandbox.start(["/bin/sh", "-c", script, "sh", ...words], { env, cwd: "/", stdin: "none", signal, ...options });
	const saidBy = async (...call: Parameters<typeof start>) => {
		const running = await start(...call);
		const [output, exitCode] = await Promise.all([new Response(running.output).text(), running.exited]);
		return { output, exitCode };
	};

	test("gives a program a terminal of the size that was asked for", async () => {
		const pty = { columns: 101, rows: 33 };
		const script = 'test -t 0 && stty size; read -r line; echo "got $line"';
		const running = await start(script, { pty, stdin: "pipe" });
		const writer = running.stdin?.getWriter();
		await writer?.write(Buffer.from("hello\n"));
		const output = await new Response(running.output).text();
		// The terminal may echo the line before the program says its first word.
		const lines = output.split("\r\n").filter((line) => line !== "hello");
		expect({ lines, exitCode: await running.exited }).toEqual({ lines: ["33 101", "got hello", ""], exitCode: 0 });
	});

	test("takes more input at once than Modal does, every byte as it is", async () => {
		const stdin = new Uint8Array(5_000_000).map((_, index) => index * 7);
		const { output } = await saidBy("sha256sum | cut -c1-64", { stdin });
		expect(output.trim()).toBe(new Bun.CryptoHasher("sha256").update(stdin).digest("hex"));
	});

	test("takes longer arguments than Modal does", async () => {
		const long = "x'".repeat(45_000);
		expect(await saidBy('printf %s "$1" | wc -c', {}, long)).toEqual({ output: "90000\n", exitCode: 0 });
	});

	test("kill() ends one command and leaves the others and the sandbox alone", async () => {
		const [first, second] = await Promise.all([start("echo a; sleep 30"), start("sleep 1; echo whole")]);
		await first.kill();
		expect(await first.exited).toBeGreaterThan(128);
		expect(await new Response(second.output).text()).toBe("whole\n");
		expect((await server.look()).sandboxes.map(({ isAlive }) => isAlive)).toEqual([true]);
	});

	test("asks for nothing where the settings say 0, and installs Python where an image may lack it", async () => {
		const { sandboxes, built } = await server.look();
		const [{ milliCpu, memoryMegabytes } = { milliCpu: -1, memoryMegabytes: -1 }] = sandboxes;
		expect({ milliCpu, memoryMegabytes }).toEqual({ milliCpu: 0, memoryMegabytes: 0 });
		expect(built[0]).toEqual(["FROM debian:12"]);
		expect(built[1]?.[1]).toContain("apt-get install -y -qq python3 python3-venv");
	});
});

describe.skipIf(!(await hasModalServer()))("open()", () => {
	test(
		"says what Modal says of an image that is not there, and leaves no sandbox behind",
		async () => {
			await using server = await startModalServer();
			const opening = openModal(server, { settings: { modal_image: "missing/image:1" } });
			await expect(opening).rejects.toThrow(
				/^Cannot start a Modal sandbox: Image build for im-base failed with the exception: the registry has no such image$/,
			);
			expect((await server.look()).sandboxes).toEqual([]);
		},
		limitMs,
	);

	test(
		"ends a sandbox that comes when nobody wants it any more",
		async () => {
			await using server = await startModalServer();
			await server.set({ latencyMs: 300 });
			const controller = new AbortController();
			const onProgress = () => void setTimeout(() => controller.abort(new Error("enough")), 1_600);
			const opening = openModal(server, { signal: controller.signal, onProgress });
			expect(await opening.catch(String)).toBe("Error: enough");
			const isOver = async () => (await server.look()).sandboxes.every(({ isAlive }) => !isAlive);
			while (!(await isOver())) await Bun.sleep(50);
		},
		limitMs,
	);
});
