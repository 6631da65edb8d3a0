/** Several processes at one store, and processes that are killed in the middle. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pruneCheckpoints } from "../../../lib/files/checkpoints/prune.ts";
import { takeCheckpoint } from "../../../lib/files/checkpoints/take.ts";
import { openCheckpointScene, usualLimits, writeFiles } from "./checkpoint-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

describe("checkpoints", () => {
	test("takeCheckpoint() and pruneCheckpoints() of several processes at once lose nothing", async () => {
		await using scene = await openCheckpointScene();
		const { place, store, outside } = scene;
		const roots = ["one", "two", "three"].map((name) => join(outside, name));
		const limits = { ...usualLimits, maxSnapshots: 3 };
		const outcomes = await Promise.all([
			...roots.map(async (root) => {
				const taken: boolean[] = [];
				for (let round = 0; round < 4; round++) {
					writeFiles(root, { [`f${round}`]: `${root} ${round}`, same: String(round) });
					const { ok } = await takeCheckpoint(place, store, { root, reason: String(round), limits });
					taken.push(ok);
				}
				return taken;
			}),
			(async () => {
				const pruned: boolean[] = [];
				for (let round = 0; round < 3; round++) {
					const { ok } = await pruneCheckpoints(place, store, { limits });
					pruned.push(ok);
				}
				return pruned;
			})(),
		]);
		expect(outcomes.flat()).toEqual(Array.from({ length: 15 }, () => true));
		expect(scene.faults()).toBe("");
		for (const root of roots) {
			writeFiles(root, { same: "later" });
			const taken = await takeCheckpoint(place, store, { root, reason: "", limits });
			expect(taken.ok && scene.kept(taken.commit).length).toBe(5);
		}
	});

	test("takeCheckpoint() that is killed at any moment leaves the store as good as before", async () => {
		await using scene = await openCheckpointScene();
		scene.write(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, String(index)])));
		const first = await scene.take();
		for (const afterMs of [1, 5, 10, 15, 20, 30, 45]) {
			scene.write({ f0: `${afterMs}` });
			const stop = new AbortController();
			const pidFile = join(scene.outside, "pid");
			// The shell's number is known, so that all of it can be killed without a chance to clear up.
			const killed = takeCheckpoint(
				{
					execute: (command, options) =>
						scene.place.execute(`setsid sh -c 'echo $$ > "${pidFile}"; exec "$@"' sh ${command}`, {
							...options,
							signal: stop.signal,
						}),
				},
				scene.store,
				{ root: scene.root, reason: "killed", limits: usualLimits },
			);
			await Bun.sleep(afterMs);
			const group = Number(
				await Bun.file(pidFile)
					.text()
					.catch(() => "0"),
			);
			if (group > 1) {
				try {
					process.kill(-group, "SIGKILL");
				} catch {
					// It had finished before.
				}
			}
			await killed;
			await Bun.file(pidFile)
				.delete()
				.catch(() => {});
			const taken = await scene.take();
			expect(Buffer.from(scene.content(taken.commit, "f0")).toString()).toBe(`${afterMs}`);
		}
		expect(scene.faults()).toBe("");
		expect(scene.kept(first.commit).length).toBe(40);
		const running = readdirSync(join(scene.store.folder, "store/running"));
		expect(running).toEqual([]);
	});
});
