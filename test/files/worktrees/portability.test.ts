/** The scripts of worktrees on other shells and tools than this machine's own: busybox, as Alpine has it, and bash as sh. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { otherShells } from "../../support/other-shells.ts";
import { openWorktreeScene } from "./worktree-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

describe.each(otherShells)("worktrees with $name", ({ isMissing, rewrite }) => {
	test.skipIf(isMissing)("are made, kept, merged, refused for a conflict and discarded", async () => {
		await using scene = await openWorktreeScene();
		const { execute } = scene.place;
		const rewritten = rewrite(scene.outside);
		Object.assign(scene.place, {
			execute: ((command, options) => execute(rewritten(command), options)) as typeof execute,
		});
		scene.write({
			"-n": "1",
			"ü b/\nc": "1",
			"large.bin": new Uint8Array(50_000_001),
			link: "-> a.txt",
			"b.txt": "mine\n",
		});
		const before = scene.state();
		const first = await scene.open("first");
		const second = await scene.open("second");
		expect(scene.state()).toEqual(before);
		expect([first.hasUncommitted, first.left]).toEqual([true, ["large.bin"]]);
		expect(scene.gitIn(first.folder, "status", "--short")).toBe("");
		scene.write({ "ü b/\nc": "2", "-n": null, "new ü": "new", ".gitignore": "x\n", x: "x" }, first.folder);
		scene.write({ "ü b/\nc": "3", "cloned/y": "y" }, second.folder);
		scene.gitIn(join(second.folder, "cloned"), "init", "-q");
		expect((await scene.finish("first")).files).toEqual(["-n", ".gitignore", "new ü", "ü b/\nc"]);
		expect(await scene.finish("second")).toMatchObject({ files: ["ü b/\nc"], left: ["cloned/"] });
		scene.write({ "sub/c.txt": "meanwhile\n" });
		expect(await scene.merge("first")).toMatchObject({ files: ["-n", ".gitignore", "new ü", "ü b/\nc"] });
		expect(await scene.merge("second")).toMatchObject({ kind: "conflicts", conflicts: [{ path: "ü b/\nc" }] });
		expect(await scene.discard("second")).toEqual({ ok: true });
		const { "large.bin": _, "a.txt": __, ...files } = scene.files();
		expect(files).toEqual({
			".gitignore": "x\n",
			"b.txt": "mine\n",
			link: "-> a.txt",
			"new ü": "new",
			"sub/c.txt": "meanwhile\n",
			"ü b/\nc": "2",
		});
		expect(scene.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
		expect(await scene.changes()).toEqual([]);
	});
});
