/** The pool: one sandbox a task, opened once, closed when idle, and opened again on the same backend or not at all. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../lib/environments/pool/clock.ts";
import { createPool, type PoolOptions } from "../../../lib/environments/pool/pool.ts";
import { type BreakableBackend, breakableBackend } from "../../support/breakable-backend.ts";
import { plainEnvironment } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { signal } = new AbortController();

/** A clock that stands still until it is told to go on. */
function handClock(): Clock & { pass(seconds: number): void } {
	let now = 0;
	const waiting = new Set<{ readonly at: number; readonly action: () => void }>();
	return {
		after(seconds, action) {
			const entry = { at: now + seconds, action };
			waiting.add(entry);
			return { [Symbol.dispose]: () => void waiting.delete(entry) };
		},
		pass(seconds) {
			now += seconds;
			for (const entry of [...waiting].filter(({ at }) => at <= now)) {
				waiting.delete(entry);
				entry.action();
			}
		},
	};
}

function poolOn(place: BreakableBackend, options: Partial<PoolOptions> = {}) {
	const clock = handClock();
	const target = { backend: place.backend, config: {}, cwd: "/tmp", environment: plainEnvironment };
	const pool = createPool({
		target,
		targetFor: async () => target,
		isPinned: false,
		lifetimeSeconds: 300,
		context: { home: "/tmp", hostEnvironment: plainEnvironment },
		onWarning: () => {},
		clock,
		...options,
	});
	const say = async (taskId: string, command: string) => {
		const { output, exitCode } = await pool.shell(taskId).execute(command, { signal, timeoutSeconds: 60 });
		return { output, exitCode };
	};
	return { pool, clock, say };
}

/** Closing goes on in the background. */
async function settled(place: BreakableBackend, count: number): Promise<readonly string[]> {
	for (let tries = 0; place.events.length < count && tries < 500; tries++) await Bun.sleep(10);
	return [...place.events];
}

describe.concurrent("a pool", () => {
	test("shell() opens nothing; many first calls at once open one sandbox and one session", async () => {
		const place = breakableBackend("box");
		const { pool, say } = poolOn(place);
		await using _pool = pool;
		pool.shell("");
		expect(place.events).toEqual([]);
		place.openingMs = 50;
		await Promise.all(["", "default", "subagent-1", "subagent-2"].map((task) => say(task, "true")));
		await say("subagent-1", "cd /usr; export SEEN=everywhere");
		expect(await say("", 'pwd; echo "$SEEN"')).toEqual({ output: "/usr\neverywhere\n", exitCode: 0 });
		expect(place.events).toEqual(["open default"]);
	});

	test("one caller that gives up while the sandbox opens does not disturb the others", async () => {
		const place = breakableBackend("box");
		const { pool, say } = poolOn(place);
		await using _pool = pool;
		place.openingMs = 100;
		const impatient = new AbortController();
		const first = pool.shell("").execute("echo first", { signal: impatient.signal });
		const second = say("", "echo second");
		impatient.abort(new Error("gave up"));
		await expect(first).rejects.toThrow("gave up");
		expect(await second).toEqual({ output: "second\n", exitCode: 0 });
		expect(place.events).toEqual(["open default"]);
	});

	test("when all give up while the sandbox opens, the backend is told, and the next call opens anew", async () => {
		const place = breakableBackend("box");
		const { pool, say } = poolOn(place);
		await using _pool = pool;
		place.openingMs = 50;
		const impatient = new AbortController();
		const first = pool.shell("").execute("true", { signal: impatient.signal });
		await Bun.sleep(5);
		impatient.abort(new Error("gave up"));
		await expect(first).rejects.toThrow("gave up");
		expect(await settled(place, 2)).toEqual(["open default", "give up default"]);
		expect((await say("", "true")).exitCode).toBe(0);
	});

	test("an idle sandbox is closed, and the next call gets a new one with folder, variables and functions as they were", async () => {
		const place = breakableBackend("box");
		const { pool, clock, say } = poolOn(place);
		await using _pool = pool;
		await say("", "cd /usr/lib; export KEPT=yes; unset LANG; hello() { echo hello; }");
		clock.pass(299);
		await Bun.sleep(50);
		expect(place.events).toEqual(["open default"]);
		clock.pass(1);
		expect(await settled(place, 2)).toEqual(["open default", "close default"]);
		const again = await pool.shell("").execute('pwd; echo "$KEPT ${LANG-unset}"; hello', { signal });
		expect(again).toMatchObject({
			output: "/usr/lib\nyes unset\nhello\n",
			ranOn: "box:2",
			notice: "The sandbox box:1 is gone; this ran in a new one, box:2",
		});
		expect((await pool.shell("").execute("true", { signal })).notice).toBeUndefined();
		clock.pass(300);
		await settled(place, 4);
		expect((await say("", 'echo "$KEPT"')).output).toBe("yes\n");
	});

	test("after idle closing commands run on the same host or fail; they never run elsewhere", async () => {
		const place = breakableBackend("host", { isOneHost: true });
		const { pool, clock, say } = poolOn(place);
		await using _pool = pool;
		await say("", "true");
		clock.pass(300);
		await settled(place, 2);
		expect(await pool.shell("").execute("true", { signal })).toMatchObject({ ranOn: "host", exitCode: 0 });
		expect((await pool.shell("").execute("true", { signal })).notice).toBeUndefined();
		clock.pass(300);
		await settled(place, 4);
		place.breakdown = "the cable is cut";
		await expect(say("", "touch /tmp/elsewhere-$$")).rejects.toThrow("Cannot reach host: the cable is cut");
		expect(pool.shell("").ranOn).toBe("host");
		await settled(place, 5);
		place.breakdown = undefined;
		expect((await say("", "echo back")).output).toBe("back\n");
	});

	test("no sandbox is closed while a call runs, however far the clock jumps", async () => {
		const place = breakableBackend("box");
		const { pool, clock, say } = poolOn(place);
		await using _pool = pool;
		await say("", "true");
		const { promise: begun, resolve } = Promise.withResolvers<void>();
		const running = pool.shell("").execute("echo begun; sleep 0.3; echo done", { signal, onOutput: () => resolve() });
		await begun;
		clock.pass(365 * 24 * 3600);
		expect((await running).output).toBe("begun\ndone\n");
		expect(place.events).toEqual(["open default"]);
		clock.pass(300);
		expect(await settled(place, 2)).toEqual(["open default", "close default"]);
	});

	test("no sandbox is closed while one of its tasks is busy elsewhere", async () => {
		const place = breakableBackend("box");
		const busy = new Set(["subagent-7"]);
		const { pool, clock, say } = poolOn(place, { busyTasks: () => busy });
		await using _pool = pool;
		await say("", "true");
		clock.pass(300);
		clock.pass(299);
		await Bun.sleep(50);
		expect(place.events).toEqual(["open default"]);
		busy.clear();
		clock.pass(1);
		expect(await settled(place, 2)).toEqual(["open default", "close default"]);
	});

	test("a call that finds its sandbox broken fails with the reason, is not repeated, and the next opens a new one", async () => {
		const place = breakableBackend("box");
		const { pool, say } = poolOn(place);
		await using _pool = pool;
		await say("", "export KEPT=yes");
		place.breakdown = "it was removed";
		await expect(say("", "true")).rejects.toMatchObject({
			name: "BackendUnavailable",
			message: "Cannot reach box: it was removed",
		});
		expect(await settled(place, 2)).toEqual(["open default", "close default"]);
		place.breakdown = undefined;
		expect(await pool.shell("").execute('echo "$KEPT"', { signal })).toMatchObject({ output: "yes\n", ranOn: "box:2" });
	});

	test("other calls in a sandbox that one call found broken are answered, and then it is closed", async () => {
		const place = breakableBackend("box");
		const { pool, say } = poolOn(place);
		await using _pool = pool;
		await say("", "true");
		const { promise: begun, resolve } = Promise.withResolvers<void>();
		using folder = temporaryFolder();
		const slow = `echo begun; until [ -e ${folder.path}/go ]; do sleep 0.05; done; echo done`;
		const running = pool.shell("").execute(slow, { signal, onOutput: () => resolve() });
		await begun;
		place.breakdown = "no more processes";
		await expect(say("", "true")).rejects.toThrow("no more processes");
		place.breakdown = undefined;
		expect((await say("", "echo new")).output).toBe("new\n");
		expect(place.events).toEqual(["open default", "open default"]);
		writeFileSync(join(folder.path, "go"), "");
		expect((await running).output).toBe("begun\ndone\n");
		expect(await settled(place, 3)).toEqual(["open default", "open default", "close default"]);
	});

	test("register() with a folder gives a task a session of its own in the shared sandbox, and moves one that is open", async () => {
		const place = breakableBackend("box");
		const { pool, say } = poolOn(place);
		await using _pool = pool;
		await pool.register("editor", { cwd: "/usr" });
		await say("", "export MINE=1");
		expect((await say("editor", 'pwd; echo "${MINE-unset}"')).output).toBe("/usr\nunset\n");
		await pool.register("editor", { cwd: "/usr/lib" });
		expect((await say("editor", "pwd")).output).toBe("/usr/lib\n");
		expect((await say("", "pwd")).output).toBe("/tmp\n");
		expect(place.events).toEqual(["open default"]);
	});

	test("register() with an image or another backend gives a task a sandbox of its own", async () => {
		const [place, other] = [breakableBackend("box"), breakableBackend("other")];
		const target = { backend: other.backend, config: {}, cwd: "/usr", environment: plainEnvironment };
		const { pool, say } = poolOn(place, { targetFor: async () => target });
		await using _pool = pool;
		await pool.register("bench-1", { backend: "other" });
		await Promise.all([say("", "true"), say("bench-1", "true")]);
		expect(pool.shell("bench-1").ranOn).toBe("other:1");
		expect([place.events, other.events]).toEqual([["open default"], ["open bench-1"]]);
	});

	test("register() within another task shares that task's sandbox, and release() closes only what was the task's own", async () => {
		const place = breakableBackend("box");
		const { pool, say } = poolOn(place);
		await using _pool = pool;
		await pool.register("apart", { image: "other" });
		await pool.register("guest", { cwd: "/usr", within: "apart" });
		await Promise.all([say("", "true"), say("apart", "true")]);
		expect((await say("guest", "pwd")).output).toBe("/usr\n");
		expect(pool.shell("guest").ranOn).toBe(pool.shell("apart").ranOn);
		await pool.release("guest");
		expect(place.events.toSorted()).toEqual(["open apart", "open default"]);
		await pool.release("apart");
		expect(place.events.at(-1)).toBe("close apart");
		await pool.release("");
		expect((await say("", "echo still")).output).toBe("still\n");
	});

	test("register() refuses another backend when the session is pinned", async () => {
		const { pool } = poolOn(breakableBackend("box"), { isPinned: true });
		await using _pool = pool;
		await expect(pool.register("bench-1", { backend: "local" })).rejects.toThrow(
			'Cannot run task "bench-1" on "local": the session is pinned to box',
		);
		await pool.register("bench-2", { backend: "box", image: "other" });
	});

	test("disposing a pool stops what runs, then closes the sandboxes; later calls are refused", async () => {
		const place = breakableBackend("box");
		const { pool } = poolOn(place);
		const { promise: begun, resolve } = Promise.withResolvers<void>();
		const running = pool.shell("").execute("echo begun; sleep 60", { signal, onOutput: () => resolve() });
		await begun;
		await pool[Symbol.asyncDispose]();
		expect((await running).ended).toBe("interrupted");
		expect(place.events).toEqual(["open default", "close default"]);
		await expect(pool.shell("").execute("true", { signal })).rejects.toThrow("hermes is ending");
		await pool[Symbol.asyncDispose]();
		expect(place.events).toEqual(["open default", "close default"]);
	});
});
