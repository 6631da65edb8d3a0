/** The scripts of checkpoints on other shells and tools than this machine's own: busybox, as Alpine has it, and bash as sh. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { compareWithNow } from "../../../lib/files/checkpoints/compare.ts";
import { findProjectFolders } from "../../../lib/files/checkpoints/project-folder.ts";
import { pruneCheckpoints } from "../../../lib/files/checkpoints/prune.ts";
import { otherShells } from "../../support/other-shells.ts";
import { openCheckpointScene, usualLimits } from "./checkpoint-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

describe.each(otherShells)("checkpoints with $name", ({ isMissing, rewrite }) => {
	test.skipIf(isMissing)("are taken, listed, compared, restored and removed", async () => {
		await using scene = await openCheckpointScene();
		const { execute } = scene.place;
		const rewritten = rewrite(scene.outside);
		Object.assign(scene.place, {
			execute: ((command, options) => execute(rewritten(command), options)) as typeof execute,
		});
		const limits = { ...usualLimits, maxFileMegabytes: 1 };
		const before = { a: "1", "-n": "1", "sub/ü b": "1", "run.sh": "1", link: "-> a", "inner/x": "1" };
		scene.write({ ...before, large: new Uint8Array(1_100_000), ".env": "KEY=1", "package.json": "{}" });
		scene.git("init", "-q", "inner");
		const folders = await findProjectFolders(scene.place, scene.store, {
			cwd: "/",
			paths: [join(scene.root, "sub/ü b")],
		});
		expect(folders.ok && folders.folders.map(({ root }) => root)).toEqual([scene.root]);
		const { commit, skipped } = await scene.take({ limits });
		expect([scene.kept(commit), skipped]).toEqual([
			["-n", "a", "inner/x", "link", "package.json", "run.sh", "sub/ü b"],
			["./large"],
		]);
		scene.write({ a: "2", "-n": null, sub: null, "run.sh": "2", new: "1" });
		const { place, store, root } = scene;
		const compared = await compareWithNow(place, store, { root, hash: commit ?? "", limits, form: "stat" });
		expect(compared.ok && compared.text).toContain("5 files changed");
		expect(await scene.restore({ limits, deleteNew: true })).toMatchObject({
			restored: ["-n", "a", "run.sh", "sub/ü b"],
			deleted: ["new"],
			blocked: [],
		});
		const { large: _, ".env": __, "package.json": ___, ...files } = scene.files();
		expect(files).toEqual(before);
		expect((await scene.list()).map(({ changes }) => changes?.files)).toEqual([5, undefined]);
		const pruned = await pruneCheckpoints(place, store, { limits: { ...usualLimits, maxSnapshots: 1 } });
		expect(pruned).toMatchObject({ ok: true, removed: 1, left: 1 });
		expect(scene.faults()).toBe("");
	});
});
