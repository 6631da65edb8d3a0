/** How checkpoints end: by number, age and size, with their folder, and when they are told to. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeStatus } from "../../../lib/files/checkpoints/history.ts";
import { checkpointTimeout } from "../../../lib/files/checkpoints/limits.ts";
import { clearCheckpoints, pruneCheckpoints } from "../../../lib/files/checkpoints/prune.ts";
import { takeCheckpoint } from "../../../lib/files/checkpoints/take.ts";
import { type CheckpointScene, openCheckpointScene, usualLimits } from "./checkpoint-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const dayMs = 86_400_000;

async function prune({ place, store }: CheckpointScene, limits: Partial<typeof usualLimits> = {}, now = Date.now()) {
	const pruned = await pruneCheckpoints(place, store, { limits: { ...usualLimits, ...limits }, now });
	if (!pruned.ok) throw new Error(pruned.error);
	return pruned;
}

/** Takes one checkpoint for every content of the file `a`. */
async function takeEach(scene: CheckpointScene, contents: readonly (string | Uint8Array)[]) {
	const commits: string[] = [];
	for (const [index, content] of contents.entries()) {
		scene.write({ a: content });
		const { commit = "" } = await scene.take({ reason: String(index), now: () => Date.now() - (10 - index) * dayMs });
		commits.push(commit);
	}
	return commits;
}

describe("takeCheckpoint()", () => {
	test("takeCheckpoint() removes what is more than the limit or too old, and leaves the ids of the others", async () => {
		await using scene = await openCheckpointScene();
		const commits = await takeEach(scene, ["1", "2", "3"]);
		const limits = { ...usualLimits, maxSnapshots: 3, retentionDays: 0 };
		scene.write({ a: "4" });
		const { commit } = await scene.take({ limits });
		expect((await scene.list()).map(({ hash }) => hash)).toEqual([commit ?? "", commits[2] ?? "", commits[1] ?? ""]);
		scene.write({ a: "5" });
		await scene.take({ limits: { ...limits, retentionDays: 8.5 } });
		expect((await scene.list()).map(({ changes }) => changes?.files)).toEqual([1, 1, undefined]);
		expect(await scene.restore({ commit: commits[2] })).toMatchObject({ restored: ["a"] });
		expect(scene.files()).toEqual({ a: "3" });
	});
});

describe("pruneCheckpoints()", () => {
	test("pruneCheckpoints() removes by number and age, and their contents with them", async () => {
		await using scene = await openCheckpointScene();
		const random = () => crypto.getRandomValues(new Uint8Array(60_000));
		const commits = await takeEach(scene, [random(), random(), random(), random(), random(), random()]);
		expect(await prune(scene, { maxSnapshots: 5, retentionDays: 7.5 })).toMatchObject({
			scanned: 1,
			removed: 3,
			left: 3,
		});
		expect((await scene.list()).map(({ hash }) => hash)).toEqual(commits.slice(3).reverse());
		expect(() => scene.content(commits[0], "a")).toThrow();
		expect(await prune(scene, { retentionDays: 1 })).toMatchObject({ removed: 3, left: 0, deletedStale: 1 });
		const { folders } = (await storeStatus(scene.place, scene.store)) as { folders: unknown };
		expect([folders, scene.faults()]).toEqual([[], ""]);
		// The folder begins again.
		expect((await scene.take()).isUnchanged).toBe(false);
		expect(scene.faults()).toBe("");
	});

	test("pruneCheckpoints() keeps within a size, and always the newest checkpoint of a folder", async () => {
		await using scene = await openCheckpointScene();
		const random = () => {
			const bytes = new Uint8Array(400_000);
			for (let at = 0; at < bytes.length; at += 50_000) crypto.getRandomValues(bytes.subarray(at, at + 50_000));
			return bytes;
		};
		await takeEach(scene, [random(), random(), random(), random(), random()]);
		const pruned = await prune(scene, { maxTotalMegabytes: 1, retentionDays: 0 });
		expect(pruned.left).toBeLessThan(4);
		expect(pruned.left).toBeGreaterThan(0);
		expect(pruned.freedKilobytes).toBeGreaterThan(700);
		expect(await prune(scene, { maxTotalMegabytes: 0, retentionDays: 0 })).toMatchObject({ left: 1 });
		expect(await scene.restore()).toMatchObject({ restored: [] });
	});

	test("pruneCheckpoints() removes those of folders that are gone, unless they are to be kept", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1" });
		await scene.take();
		const { place, store, outside } = scene;
		await place.execute(`mkdir "${outside}/other" && echo 1 > "${outside}/other/b"`);
		await takeCheckpoint(place, store, { root: join(outside, "other"), reason: "", limits: usualLimits });
		rmSync(join(outside, "other"), { recursive: true });
		expect(await prune(scene, { deleteOrphans: false })).toMatchObject({ removed: 0, left: 2, deletedOrphans: 0 });
		expect(await prune(scene)).toMatchObject({ scanned: 2, removed: 1, left: 1, deletedOrphans: 1 });
		expect(await scene.restore()).toMatchObject({ restored: [] });
	});

	test("pruneCheckpoints() clears away what killed processes left behind", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1" });
		await scene.take();
		const store = join(scene.store.folder, "store");
		const old = new Date(Date.now() - 3_600_000);
		for (const name of [
			"packed-refs.lock",
			"refs/checkpoints/x.lock",
			"running/use.999999999",
			"running/prune.999999999",
		]) {
			writeFileSync(join(store, name), "");
			utimesSync(join(store, name), old, old);
		}
		expect(await prune(scene, { maxSnapshots: 1 })).toMatchObject({ isBusy: false, left: 1 });
		expect(existsSync(join(store, "packed-refs.lock"))).toBe(false);
		scene.write({ a: "2" });
		await scene.take();
		expect(await prune(scene, { maxSnapshots: 1 })).toMatchObject({ removed: 1, left: 1 });
	});
});

describe("clearCheckpoints()", () => {
	test("clearCheckpoints() removes one folder's, or all", async () => {
		await using scene = await openCheckpointScene();
		const { place, store, outside } = scene;
		scene.write({ a: "1" });
		await scene.take();
		await place.execute(`mkdir "${outside}/other" && echo 1 > "${outside}/other/b"`);
		await takeCheckpoint(place, store, { root: join(outside, "other"), reason: "", limits: usualLimits });
		const status = async () => {
			const state = await storeStatus(place, store);
			return state.ok ? state.folders.map(({ root, count }) => [root, count]) : state.error;
		};
		const keyed = await import("../../../lib/files/checkpoints/history.ts").then(({ listCheckpoints }) =>
			listCheckpoints(place, store, { root: scene.root }),
		);
		const key = keyed.ok ? keyed.key : "";
		expect(await clearCheckpoints(place, store, { key, limits: usualLimits })).toEqual({ ok: true, removed: 1 });
		expect(await status()).toEqual([[join(outside, "other"), 1]]);
		expect(await clearCheckpoints(place, store, { limits: usualLimits })).toEqual({ ok: true, removed: 1 });
		expect(await status()).toEqual([]);
		expect((await scene.take()).isUnchanged).toBe(false);
	});
});

describe("checkpointTimeout()", () => {
	test.each([
		[undefined, 30],
		["", 30],
		["20", 20],
		["1", 10],
		["3600", 60],
		["soon", 30],
	])("checkpointTimeout() of %p is %p seconds", (variable, seconds) => {
		expect(checkpointTimeout(variable)).toBe(seconds);
	});
});
