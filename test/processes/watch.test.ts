/** What is told of processes: matches of patterns, ends, and how often. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { noticeText } from "../../lib/processes/notice.ts";
import { createBreaker, createWatcher } from "../../lib/processes/watch-patterns.ts";
import { openProcessScene, printed, until } from "../support/process-scene.ts";

setDefaultTimeout(60_000);

describe("createWatcher()", () => {
	test("tells matches at most every 15 seconds, counts the others, and gives up after three such windows", () => {
		const watcher = createWatcher(["error", "ready"]);
		const look = (at: number, ...lines: string[]) => watcher.look(lines, at * 1000);
		expect(look(0, "fine")).toBeUndefined();
		expect(look(1, "an error", "ready now", "fine")).toEqual({
			is: "match",
			pattern: "error",
			lines: ["an error", "ready now"],
			suppressed: 0,
		});
		expect(look(2, "error 2")).toBeUndefined();
		expect(look(3, "error 3")).toBeUndefined();
		expect(look(17, "error 4")).toMatchObject({ is: "match", suppressed: 2 });
		expect(look(18, "error 5")).toBeUndefined();
		expect(look(33, "error 6")).toMatchObject({ is: "match", suppressed: 1 });
		expect(look(34, "error 7")).toEqual({ is: "disabled", suppressed: 1 });
		expect(watcher.isActive).toBe(false);
		expect(look(100, "error 8")).toBeUndefined();
	});

	test("starts to count anew after a window without a match too many", () => {
		const watcher = createWatcher(["x"]);
		const look = (at: number) => watcher.look(["x"], at * 1000);
		for (const at of [0, 1, 16, 17, 32, 60, 61, 76, 77]) look(at);
		expect(watcher.isActive).toBe(true);
		look(92);
		look(93);
		expect(watcher.isActive).toBe(false);
	});

	test("tells 20 lines and 2,000 characters at most", () => {
		const told = createWatcher(["x"]).look(
			Array.from({ length: 50 }, () => "x".repeat(300)),
			0,
		);
		expect(told?.is === "match" && told.lines.join("\n").length).toBeLessThanOrEqual(2_000);
	});
});

test("createBreaker() stops after 15 in 10 seconds, for 30 seconds, and says how many were not told", () => {
	const pass = createBreaker();
	const verdicts = Array.from({ length: 17 }, (_, at) => pass(at * 100));
	expect(verdicts.filter((verdict) => verdict.pass)).toHaveLength(15);
	expect(verdicts.slice(15)).toEqual([
		{ pass: false, tripped: true },
		{ pass: false, tripped: false },
	]);
	expect(pass(31_600)).toEqual({ pass: true, released: 2 });
	expect(pass(31_700)).toEqual({ pass: true });
});

describe("notices", () => {
	test("patterns match lines that came in pieces, while the process runs", async () => {
		await using scene = await openProcessScene("local");
		const process = await scene.start("printf 'server re'; sleep 0.3; printf 'ady\\nmore\\n'; read line", {
			patterns: ["ready"],
		});
		const [notice] = await until(() => {
			const taken = scene.table.takeNotices("default");
			return taken.length > 0 && taken;
		});
		expect(process.end).toBeUndefined();
		const { id, command } = process.record;
		expect(notice).toEqual({
			type: "watch_match",
			id,
			command,
			pattern: "ready",
			output: "server ready",
			suppressed: 0,
		});
		await process.close();
		await process.ended;
		expect(scene.table.takeNotices("default")).toEqual([]);
	});

	test("a match that waits goes into the end that follows: one notice (R058)", async () => {
		await using scene = await openProcessScene("local");
		const process = await scene.start("echo done; exit 0", { patterns: ["done"], notify: true });
		await process.ended;
		expect(scene.table.takeNotices("default")).toMatchObject([{ type: "completion", output: "done" }]);
	});

	test("what the model killed itself is not told, what failed is, once (R052)", async () => {
		await using scene = await openProcessScene("local");
		const started = [];
		for (const command of ["sleep 300", "sleep 301", "exit 9"])
			started.push(await scene.start(command, { notify: true }));
		await started[2]?.ended;
		await started[0]?.kill();
		await started[1]?.kill();
		const told = scene.table.takeNotices("default");
		expect(told).toMatchObject([{ type: "completion", id: started[2]?.record.id, end: { exitCode: 9 } }]);
		expect(scene.table.takeNotices("default")).toEqual([]);
	});

	test("an end that was looked at is not told again (R053)", async () => {
		await using scene = await openProcessScene("local");
		const process = await scene.start("exit 2", { notify: true });
		await process.ended;
		scene.desk.seen(process);
		expect({ told: scene.table.takeNotices("default"), expecting: scene.table.isExpecting("default") }).toEqual({
			told: [],
			expecting: false,
		});
	});

	test("a process that cannot be killed at once stays in the list until it is gone (R055)", async () => {
		await using scene = await openProcessScene("local");
		const process = await scene.start("trap '' TERM; echo up; while :; do sleep 0.2; done");
		await until(() => printed(process).includes("up"));
		const killing = process.kill();
		expect(scene.desk.list().map(({ end }) => end)).toEqual([undefined]);
		expect(await killing).toEqual({ is: "gone" });
		expect(scene.desk.list().map(({ end }) => end?.reason)).toEqual(["killed"]);
	});

	test("secrets are masked in everything that is told", async () => {
		await using scene = await openProcessScene("local");
		const key = `ghp_${"a1B2".repeat(9)}`;
		const process = await scene.start(`echo token ${key}`, { notify: true, patterns: ["token"] });
		await process.ended;
		const text = scene.table.takeNotices("default").map(noticeText).join("\n");
		expect(text).toContain("token ghp_");
		expect(text).not.toContain(key);
	});

	test("noticeText() says how it ended, and blames nobody for a signal from elsewhere", async () => {
		await using scene = await openProcessScene("local");
		const process = await scene.start("kill -TERM $$; sleep 5", { notify: true });
		await process.ended;
		expect(scene.table.takeNotices("default").map(noticeText)).toEqual([
			`[IMPORTANT: Background process ${process.record.id} exited (exit code 143, SIGTERM).\nCommand: kill -TERM $$; sleep 5\nOutput:\n]`,
		]);
	});
});
