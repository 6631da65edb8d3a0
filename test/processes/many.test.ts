/** Many processes at once, and two sessions beside each other. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { mostRunning } from "../../lib/processes/table.ts";
import { openProcessScene, printed, until } from "../support/process-scene.ts";

setDefaultTimeout(120_000);

test("50 processes with fast output leave memory flat", async () => {
	// In a process of its own: the garbage of other tests is no part of it.
	const child = Bun.spawn([process.execPath, join(import.meta.dir, "measure-many.ts")], { stderr: "inherit" });
	const growth = Number(await new Response(child.stdout).text());
	expect(await child.exited).toBe(0);
	// 200 MB have gone through.
	expect(growth).toBeLessThan(30_000_000);
});

test("the ends of 50 processes with fast output are told once, in order", async () => {
	await using scene = await openProcessScene("local");
	const started = await Promise.all(
		Array.from({ length: 50 }, (_, at) =>
			scene.start(`yes "line of process ${at}" | head -c 2000000; echo; echo end ${at}`, { notify: true }),
		),
	);
	const ended: string[] = [];
	const note = async (one: (typeof started)[number]) => {
		await one.ended;
		ended.push(one.record.id);
	};
	await Promise.all(started.map(note));
	const notices = scene.table.takeNotices("default");
	expect(notices.map((notice) => ("id" in notice ? notice.id : notice.type))).toEqual(ended);
	expect(scene.table.takeNotices("default")).toEqual([]);
	for (const [at, one] of started.entries()) {
		expect(one.output.range(one.output.total - 1).lines).toEqual([`end ${at}`]);
		const kept = one.output.range(0);
		expect(kept.lines.reduce((sum, line) => sum + line.length + 1, 0)).toBeLessThanOrEqual(200_100);
	}
});

test("start() refuses one more than may run, and takes it when one has ended", async () => {
	await using scene = await openProcessScene("local");
	const started = await Promise.all(Array.from({ length: mostRunning }, () => scene.start("read line")));
	await expect(scene.start("true")).rejects.toThrow(`${mostRunning} background processes run already`);
	await started[0]?.close();
	await started[0]?.ended;
	await (await scene.start("true")).ended;
	await Promise.all(started.map((one) => one.close()));
	await Promise.all(started.map((one) => one.ended));
});

test("nothing of one session is seen in another: processes, folders, variables, output, notices", async () => {
	await using scene = await openProcessScene("local");
	await using other = await openProcessScene("local", { taskId: "other" });
	const { signal } = new AbortController();
	await scene.shell.execute("export WHO=first; cd /tmp", { signal });
	await other.shell.execute("export WHO=second; cd /usr", { signal });
	const [first, second] = await Promise.all([
		scene.start('echo "$WHO $PWD"; read line', { notify: true }),
		other.start('echo "$WHO $PWD"; read line', { notify: true }),
	]);
	await until(() => printed(first).length > 0 && printed(second).length > 0);
	expect([printed(first), printed(second)]).toEqual([["first /tmp"], ["second /usr"]]);
	// In one table, a task sees its own only.
	const stranger = scene.table.desk("other", "session");
	expect({ list: stranger.list(), get: stranger.get(first.record.id) }).toEqual({ list: [], get: undefined });
	await Promise.all([first.close(), second.close(), first.ended, second.ended]);
	expect(scene.table.takeNotices("other")).toEqual([]);
	expect(scene.table.takeNotices("default")).toHaveLength(1);
	expect(other.table.takeNotices("other")).toHaveLength(1);
});
