/** Locks between processes. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { takeFileLock, tryFileLock } from "../../lib/base/file-lock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const holder = join(import.meta.dir, "../support/lock-holder.ts");

describe("tryFileLock()", () => {
	test("tryFileLock() is answered with undefined while another holds the lock, and with the lock afterwards", () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "lock");
		{
			using lock = tryFileLock(path);
			expect([lock?.path, tryFileLock(path)]).toEqual([path, undefined]);
		}
		using again = tryFileLock(path);
		expect(again).toBeDefined();
	});

	test("tryFileLock() gets the lock of a process that was killed at once", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "lock");
		const child = Bun.spawn([process.execPath, holder, path], { stdout: "pipe" });
		const { value } = await child.stdout.getReader().read();
		expect([new TextDecoder().decode(value), tryFileLock(path)]).toEqual(["held\n", undefined]);
		child.kill("SIGKILL");
		await child.exited;
		using lock = tryFileLock(path);
		expect(lock).toBeDefined();
	});

	test("tryFileLock() fails where the folder is missing", () => {
		expect(() => tryFileLock("/nowhere/at/all/lock")).toThrow();
	});
});

describe("takeFileLock()", () => {
	test("takeFileLock() waits until the lock is free", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "lock");
		const order: string[] = [];
		const first = await takeFileLock(path, AbortSignal.timeout(10_000));
		const second = takeFileLock(path, AbortSignal.timeout(10_000)).then((lock) => {
			order.push("second");
			return lock;
		});
		await Bun.sleep(20);
		order.push("first done");
		first[Symbol.dispose]();
		using _lock = await second;
		expect(order).toEqual(["first done", "second"]);
	});

	test("takeFileLock() gives up with the reason of the signal", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "lock");
		using _held = tryFileLock(path);
		const reason = new Error("enough");
		const stop = new AbortController();
		const waiting = takeFileLock(path, stop.signal);
		stop.abort(reason);
		expect(await waiting.catch((error: unknown) => error)).toBe(reason);
	});
});
