/** Bringing files back: what is written, what is removed, and what is never touched. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWithNow } from "../../../lib/files/checkpoints/compare.ts";
import { findCheckpoint, listCheckpoints } from "../../../lib/files/checkpoints/history.ts";
import { restoreCheckpoint } from "../../../lib/files/checkpoints/restore.ts";
import { type CheckpointScene, openCheckpointScene, usualLimits } from "./checkpoint-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** What refusing looks like. */
async function refusal(scene: CheckpointScene, paths: readonly string[]): Promise<string> {
	const [checkpoint] = await scene.list();
	if (checkpoint === undefined) throw new Error("there is no checkpoint");
	const { place, store, root } = scene;
	const restored = await restoreCheckpoint(place, store, { root, checkpoint, limits: usualLimits, paths });
	return restored.ok ? "restored" : restored.error;
}

describe("restoreCheckpoint()", () => {
	test("restoreCheckpoint() brings the folder back, and removes what is new only when asked", async () => {
		await using scene = await openCheckpointScene();
		const before = { a: "1\r\n", "sub/b": "1", link: "-> a", "gone.sh": "1" };
		scene.write(before);
		const { commit = "" } = await scene.take();
		scene.write({ a: "2", "sub/b": null, link: null, "gone.sh": null, "new/deep/n": "1" });
		const first = await scene.restore({ commit });
		expect(first).toEqual({
			ok: true,
			restored: ["a", "gone.sh", "link", "sub/b"],
			deleted: [],
			newer: ["new/deep/n"],
			blocked: [],
			before: first.before,
		});
		expect(scene.files()).toEqual({ ...before, "new/deep/n": "1" });
		expect(await scene.restore({ commit, deleteNew: true })).toMatchObject({ restored: [], deleted: ["new/deep/n"] });
		expect(scene.files()).toEqual(before);
		expect(statSync(join(scene.root, "gone.sh")).mode & 0o777).toBe(0o755);
		// Folders that are empty now go with their files.
		expect(statSync(join(scene.root, "new"), { throwIfNoEntry: false })).toBeUndefined();
	});

	test("restoreCheckpoint() can be taken back", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1" });
		const { commit } = await scene.take();
		scene.write({ a: "2", b: "1" });
		const { before } = await scene.restore({ commit, deleteNew: true });
		expect(scene.files()).toEqual({ a: "1" });
		await scene.restore({ commit: before });
		expect(scene.files()).toEqual({ a: "2", b: "1" });
		expect((await scene.list()).map(({ reason }) => reason)).toEqual([
			`before restoring ${before.slice(0, 8)}`,
			`before restoring ${commit?.slice(0, 8)}`,
			"test",
		]);
	});

	test("restoreCheckpoint() of one file or folder leaves the others, and reads no name as a pattern", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ "*.py": "1", "a.py": "1", "sub/x": "1", "sub/y": "1", ":(glob)z": "1", z: "1", "-f": "1" });
		const { commit } = await scene.take();
		const changed = { "*.py": "2", "a.py": "2", "sub/x": "2", "sub/y": "2", ":(glob)z": "2", z: "2", "-f": "2" };
		scene.write({ ...changed, "sub/new": "1", new: "1" });
		expect(await scene.restore({ commit, paths: ["*.py"] })).toMatchObject({ restored: ["*.py"], newer: [] });
		expect(await scene.restore({ commit, paths: [":(glob)z", "-f"] })).toMatchObject({ restored: ["-f", ":(glob)z"] });
		expect(await scene.restore({ commit, paths: ["sub"], deleteNew: true })).toMatchObject({
			restored: ["sub/x", "sub/y"],
			deleted: ["sub/new"],
		});
		expect(scene.files()).toEqual({
			"*.py": "1",
			"-f": "1",
			":(glob)z": "1",
			"a.py": "2",
			new: "1",
			"sub/x": "1",
			"sub/y": "1",
			z: "2",
		});
	});

	test("restoreCheckpoint() refuses what is outside or unknown, and says nothing is different where nothing is", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1", "sub/b": "1" });
		await scene.take();
		writeFileSync(join(scene.outside, "secret"), "2");
		expect(await refusal(scene, ["../secret"])).toBe(`Cannot restore "../secret": it is not inside of "${scene.root}"`);
		expect(await refusal(scene, ["/etc/passwd"])).toContain("it is not inside of");
		scene.write({ a: "2" });
		expect(await refusal(scene, ["nope"])).toMatch(/^Cannot restore "nope": checkpoint [0-9a-f]{8} does not have it$/);
		// A refusal keeps nothing: the numbers of the list are those that the user has seen.
		expect(await scene.list()).toHaveLength(1);
		scene.write({ a: "1" });
		expect(await scene.restore({ paths: ["sub", join(scene.root, "a")] })).toMatchObject({ restored: [], blocked: [] });
	});

	test("restoreCheckpoint() takes checkpoints of this folder only", async () => {
		await using scene = await openCheckpointScene();
		await using other = await openCheckpointScene();
		other.write({ "secret.txt": "theirs" });
		const { place, root } = other;
		await scene.take();
		const theirs = await other.take();
		const inOneStore = await listCheckpoints(place, scene.store, { root });
		expect(inOneStore.ok && inOneStore.checkpoints).toEqual([]);
		expect(findCheckpoint(await scene.list(), theirs.commit ?? "")).toEqual({
			ok: false,
			code: "not_found",
			error: `Cannot use checkpoint "${theirs.commit}": this folder has none with that id`,
		});
	});

	test("restoreCheckpoint() never removes a file that was there without being kept", async () => {
		await using scene = await openCheckpointScene();
		const limits = { ...usualLimits, maxFileMegabytes: 1 };
		scene.write({ ".gitignore": "*.gen\n", "a.gen": "mine", large: new Uint8Array(1_100_000), a: "1" });
		const { commit } = await scene.take({ limits });
		// Now they are kept, and so look as if they were new.
		scene.write({ ".gitignore": "", large: "small", b: "1" });
		const restored = await scene.restore({ commit, limits, deleteNew: true });
		expect(restored).toMatchObject({ restored: [".gitignore"], deleted: ["b"], newer: ["a.gen", "large"] });
		expect(scene.files()).toEqual({ ".gitignore": "*.gen\n", a: "1", "a.gen": "mine", large: "small" });
	});

	test("restoreCheckpoint() writes nothing through a link that stands where a folder was", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ "sub/a": "1", b: "1" });
		const { commit } = await scene.take();
		await scene.place.execute(
			`mkdir ../elsewhere && echo theirs > ../elsewhere/a && rm -r sub && ln -s ../elsewhere sub`,
		);
		expect(await scene.restore({ commit })).toMatchObject({ restored: [], newer: ["sub"], blocked: ["sub/a"] });
		expect(await scene.restore({ commit, deleteNew: true })).toMatchObject({
			restored: ["sub/a"],
			deleted: ["sub"],
			blocked: [],
		});
		expect([scene.files(), readFileSync(join(scene.outside, "elsewhere/a"), "utf8")]).toEqual([
			{ b: "1", "sub/a": "1" },
			"theirs\n",
		]);
	});

	test("restoreCheckpoint() does not put a file in the place of a folder with files that nobody kept", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ thing: "1", ".gitignore": "*.gen\n" });
		const { commit } = await scene.take();
		scene.write({ thing: null });
		scene.write({ "thing/x.gen": "mine", "thing/y": "1" });
		for (const deleteNew of [false, true]) {
			expect(await scene.restore({ commit, deleteNew })).toMatchObject({ restored: [], blocked: ["thing"] });
			expect(scene.files()["thing/x.gen"]).toBe("mine");
		}
		scene.write({ thing: null });
		scene.write({ "thing/y": "1" });
		expect(await scene.restore({ commit, deleteNew: true })).toMatchObject({
			restored: ["thing"],
			deleted: ["thing/y"],
		});
		expect(scene.files().thing).toBe("1");
	});

	test("restoreCheckpoint() leaves mode and owner of a file as they are", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ private: "1", theirs: "1", plain: "1" });
		chmodSync(join(scene.root, "private"), 0o600);
		const isRoot = process.getuid?.() === 0;
		if (isRoot) chownSync(join(scene.root, "theirs"), 65_534, 65_534);
		await scene.take();
		scene.write({ private: "2", theirs: "2", plain: "2" });
		expect(await scene.restore()).toMatchObject({ restored: ["plain", "private", "theirs"], blocked: [] });
		const modes = ["private", "theirs", "plain"].map((name) => {
			const { mode, uid } = statSync(join(scene.root, name));
			return [mode & 0o777, isRoot ? uid : 0];
		});
		const theirs = isRoot ? 65_534 : 0;
		expect(modes).toEqual([
			[0o600, 0],
			[0o644, theirs],
			[0o644, 0],
		]);
	});

	test("restoreCheckpoint() keeps an ignored file before it is written over", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ "x.gen": "1" });
		const { commit } = await scene.take();
		scene.write({ "x.gen": "2", ".gitignore": "*.gen\n" });
		const { before, restored } = await scene.restore({ commit });
		expect([restored, Buffer.from(scene.content(before, "x.gen")).toString()]).toEqual([["x.gen"], "2"]);
	});
});

describe("findCheckpoint()", () => {
	const checkpoints = ["abcd1111", "abcd2222", "1234ffff"].map((start) => ({
		hash: start.padEnd(40, "0"),
		takenAt: 0,
		reason: "",
		skipped: [],
	}));

	test.each([
		["1", "abcd1111"],
		["3", "1234ffff"],
		["abcd2", "abcd2222"],
		["1234", "1234ffff"],
	])("findCheckpoint() knows %p", (asked, start) => {
		expect(findCheckpoint(checkpoints, asked)).toMatchObject({ hash: start.padEnd(40, "0") });
	});

	test.each([
		["4", "there are 3"],
		["0", "an id has 4 or more of 0-9 and a-f"],
		["abcd", "2 ids begin like that"],
		["ffff", "this folder has none with that id"],
		["--output=/tmp/x", "an id has 4 or more of 0-9 and a-f"],
		["HEAD", "an id has 4 or more of 0-9 and a-f"],
		["abcd1111\n", "an id has 4 or more of 0-9 and a-f"],
		["a".repeat(65), "an id has 4 or more of 0-9 and a-f"],
	])("findCheckpoint() refuses %p", (asked, state) => {
		expect(findCheckpoint(checkpoints, asked)).toMatchObject({
			ok: false,
			error: `Cannot use checkpoint "${asked}": ${state}`,
		});
	});
});

describe("compareWithNow()", () => {
	test("compareWithNow() shows what has changed since, and changes nothing", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1\n", "sub/b": "1\n", gone: "1\n" });
		const { commit: hash = "" } = await scene.take();
		scene.write({ a: "2\n", "sub/b": "2\n", gone: null, "ü new": "1\n" });
		const before = scene.files();
		const { place, store, root } = scene;
		const compare = async (form: "stat" | "patch", path?: string) => {
			const compared = await compareWithNow(place, store, {
				root,
				hash,
				limits: usualLimits,
				form,
				...(path && { path }),
			});
			return compared.ok ? compared.text : compared.error;
		};
		expect(await compare("patch", "a")).toContain("@@ -1 +1 @@\n-1\n+2\n");
		expect(await compare("stat")).toMatch(/ü new.*\n 4 files changed, 3 insertions\(\+\), 3 deletions\(-\)\n$/s);
		expect(await compare("stat", "*")).toBe("");
		expect([scene.files(), (await scene.list()).length]).toEqual([before, 1]);
	});
});

describe("listCheckpoints()", () => {
	test("listCheckpoints() shows the newest first, with what had changed since the one before", async () => {
		await using scene = await openCheckpointScene();
		expect(await scene.list()).toEqual([]);
		scene.write({ a: "1\n2\n3\n" });
		await scene.take({ reason: "one" });
		scene.write({ a: "1\n2\n", b: "1\n" });
		await scene.take({ reason: "two" });
		const list = await scene.list();
		expect(list.map(({ reason, changes }) => ({ reason, changes }))).toEqual([
			{ reason: "two", changes: { files: 2, insertions: 1, deletions: 1 } },
			{ reason: "one", changes: undefined },
		]);
	});
});
