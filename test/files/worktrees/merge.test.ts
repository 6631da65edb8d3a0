/** Merging the changes of sub-agents into the parent's files. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mergeChange } from "../../../lib/files/worktrees/merge.ts";
import { openWorktreeScene, type WorktreeScene } from "./worktree-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

/** A git that says of itself that it is from 2022, and knows no more than that. */
function olderGit(folder: string): string {
	const path = join(folder, "older-git");
	const script = `#!/bin/sh
[ "$1" = version ] && { echo git version 2.34.1; exit; }
for word do [ "$word" != merge-tree ] || { echo "unknown command" >&2; exit 129; }; done
exec git "$@"
`;
	writeFileSync(path, script);
	chmodSync(path, 0o755);
	return path;
}

async function child(scene: WorktreeScene, id: string, files: Parameters<WorktreeScene["write"]>[0]) {
	const { folder } = await scene.open(id);
	scene.write(files, folder);
	return await scene.finish(id);
}

describe.each(["the git here", "a git without merge-tree"])("mergeChange() with %s", (which) => {
	const openScene = async (): Promise<WorktreeScene & AsyncDisposable> => {
		const folder = `/tmp/hermes-test-git-${crypto.randomUUID()}`;
		if (which === "the git here") return await openWorktreeScene();
		Bun.spawnSync(["mkdir", folder]);
		const scene = await openWorktreeScene({ git: olderGit(folder) });
		return {
			...scene,
			async [Symbol.asyncDispose]() {
				await scene[Symbol.asyncDispose]();
				Bun.spawnSync(["rm", "-r", folder]);
			},
		};
	};

	test("merges two children of one file, with what the parent did meanwhile, and stages nothing", async () => {
		await using scene = await openScene();
		scene.write({ "staged.txt": "s\n" });
		scene.git("add", "staged.txt");
		await child(scene, "one", { "a.txt": "ONE\ntwo\nthree\nfour\nfive\n", "from-one.sh": "#!/bin/sh\n" });
		await child(scene, "two", { "a.txt": "one\ntwo\nthree\nfour\nFIVE\n", "b.txt": null, link: "-> a.txt" });
		scene.write({ "sub/c.txt": "parent\n" });
		const { staged, head, log } = scene.state();
		expect(await scene.merge("one")).toEqual({
			ok: true,
			kind: "merged",
			files: ["a.txt", "from-one.sh"],
			top: scene.root,
		});
		expect(await scene.merge("two")).toMatchObject({ kind: "merged", files: ["a.txt", "b.txt", "link"] });
		expect(scene.files()).toEqual({
			"a.txt": "ONE\ntwo\nthree\nfour\nFIVE\n",
			"from-one.sh": "#!/bin/sh\n",
			link: "-> a.txt",
			"staged.txt": "s\n",
			"sub/c.txt": "parent\n",
		});
		expect(statSync(join(scene.root, "from-one.sh")).mode & 0o111).toBe(0o111);
		expect(scene.state()).toMatchObject({ staged, head, log });
		expect(await scene.changes()).toEqual([]);
		expect(existsSync(join(scene.root, ".hermes-worktrees"))).toBe(false);
		expect(scene.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
	});

	test("reports conflicts by file, writes nothing, and keeps the change until it is discarded", async () => {
		await using scene = await openScene();
		await child(scene, "one", { "a.txt": "1\ntwo\nthree\nfour\nfive\n", "b.txt": "one's\n" });
		await child(scene, "two", { "a.txt": "2\ntwo\nthree\nfour\nfive\n", "sub/c.txt": "two's\n" });
		expect(await scene.merge("one")).toMatchObject({ kind: "merged" });
		const before = scene.state();
		const merged = await scene.merge("two");
		expect(merged).toMatchObject({
			ok: true,
			kind: "conflicts",
			conflicts: [{ path: "a.txt", reason: expect.stringMatching(/^both have changed/) }],
		});
		expect(scene.state()).toEqual(before);
		expect(await scene.changes()).toEqual(["two kept"]);
		scene.write({ "a.txt": "one\ntwo\nthree\nfour\nfive\n" });
		expect(await scene.merge("two")).toMatchObject({ kind: "merged", files: ["a.txt", "sub/c.txt"] });
		expect(await scene.merge("two")).toEqual({
			ok: false,
			code: "no_change",
			error: `Cannot merge the changes of "two" into "${scene.root}": there is none of this id; it was merged or discarded before, nothing was changed, or it was in a sandbox that has ended with its process`,
		});
	});

	test("counts deleting what the other has changed, and making what the other has made, as conflicts", async () => {
		await using scene = await openScene();
		await child(scene, "deletes", { "b.txt": null });
		await child(scene, "makes", { "new.txt": "child's\n" });
		scene.write({ "b.txt": "changed\n", "new.txt": "parent's\n" });
		const before = scene.state();
		expect(await scene.merge("deletes")).toMatchObject({ kind: "conflicts", conflicts: [{ path: "b.txt" }] });
		expect(await scene.merge("makes")).toMatchObject({ kind: "conflicts", conflicts: [{ path: "new.txt" }] });
		expect(scene.state()).toEqual(before);
	});
});

describe.concurrent("mergeChange()", () => {
	test("never writes over a file that git ignores", async () => {
		await using scene = await openWorktreeScene();
		scene.write({ ".gitignore": "*.local\n", "x.local": "the user's\n", "server.key": "the user's\n" });
		const { folder } = await scene.open("child");
		scene.write({ "x.local": "forced\n", "server.key": "made\n", "b.txt": "changed\n" }, folder);
		scene.gitIn(folder, "add", "-f", "x.local");
		await scene.finish("child");
		const before = scene.state();
		const reason = "a file of this name that git ignores is in the way";
		expect(await scene.merge("child")).toEqual({
			ok: true,
			kind: "conflicts",
			conflicts: ["server.key", "x.local"].map((path) => ({ path, reason })),
		});
		expect(scene.state()).toEqual(before);
	});

	test("merges after the parent has committed, switched its branch, or moved a file", async () => {
		await using scene = await openWorktreeScene();
		await child(scene, "child", { "a.txt": "one\ntwo\nthree\nfour\nFIVE\n" });
		scene.git("checkout", "-q", "-b", "elsewhere");
		scene.git("mv", "a.txt", "moved.txt");
		scene.git("commit", "-q", "-m", "moved");
		expect(await scene.merge("child")).toMatchObject({ kind: "merged", files: ["moved.txt"] });
		expect(scene.files()["moved.txt"]).toBe("one\ntwo\nthree\nfour\nFIVE\n");
	});

	test("keeps line ends as the user's settings want them", async () => {
		await using scene = await openWorktreeScene();
		scene.git("config", "core.autocrlf", "true");
		scene.git("config", "core.safecrlf", "true");
		scene.write({ "a.txt": "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n" });
		await child(scene, "child", { "a.txt": "one\r\ntwo\r\nTHREE\r\nfour\r\nfive\r\n", "b.txt": "new\r\n" });
		scene.write({ "a.txt": "one\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n" });
		expect(await scene.merge("child")).toMatchObject({ kind: "merged" });
		expect(scene.files()).toMatchObject({
			"a.txt": expect.stringMatching(/THREE\r?\nfour\r?\nFIVE\r?\n$/),
			"b.txt": "new\r\n",
		});
	});

	test("merges into a worktree whose child has children of its own", async () => {
		await using scene = await openWorktreeScene();
		const orchestrator = await scene.open("orchestrator");
		const worker = await scene.open("worker", orchestrator.folder);
		scene.write({ "b.txt": "worker's\n" }, worker.folder);
		await scene.finish("worker");
		const merged = await mergeChange(scene.place, { cwd: orchestrator.folder, id: "worker" });
		expect(merged).toMatchObject({ kind: "merged", files: ["b.txt"], top: orchestrator.folder });
		expect(scene.files()["b.txt"]).toBe("b\n");
		const late = await scene.open("late", orchestrator.folder);
		scene.write({ "a.txt": "late\n" }, late.folder);
		await scene.finish("late");
		await scene.finish("orchestrator");
		await scene.merge("orchestrator");
		expect(scene.files()["b.txt"]).toBe("worker's\n");
		// Where it was to go is gone; what that had is in the project by now.
		expect(await mergeChange(scene.place, { cwd: orchestrator.folder, id: "late" })).toMatchObject({
			files: ["a.txt"],
		});
		expect(scene.git("status", "--short")).toBe(" M a.txt\n M b.txt");
	});

	test("knows no change whose name leads elsewhere, and removes nothing for it", async () => {
		await using scene = await openWorktreeScene();
		await child(scene, "child", { "b.txt": "1\n" });
		for (const id of ["", ".", "..", "../x", "a/b", "x\ny"]) {
			expect(await scene.discard(id)).toMatchObject({ code: "no_change" });
		}
		expect(await scene.changes()).toEqual(["child kept"]);
	});

	test("says of files that are no text that their lines cannot be compared", async () => {
		await using scene = await openWorktreeScene();
		await child(scene, "child", { "a.txt": "\0child" });
		scene.write({ "a.txt": "\0parent" });
		const conflicts = [{ path: "a.txt", reason: "both have changed it, and it is no text" }];
		expect(await scene.merge("child")).toEqual({ ok: true, kind: "conflicts", conflicts });
	});

	test("keeps a worktree that has what git could not take, and says what that is", async () => {
		await using scene = await openWorktreeScene();
		scene.write({ x: "x" }, join(scene.outside, "library"));
		scene.gitIn(join(scene.outside, "library"), "init", "-q");
		scene.gitIn(join(scene.outside, "library"), "add", "-A");
		scene.gitIn(join(scene.outside, "library"), "commit", "-q", "-m", "library");
		const allowed = ["-c", "protocol.file.allow=always", "submodule"];
		scene.git(...allowed, "add", "-q", join(scene.outside, "library"), "a library");
		scene.git("commit", "-q", "-m", "with a library");
		const { folder, left } = await scene.open("child");
		expect(left).toEqual(["a library/"]);
		const { folder: other } = await scene.open("other");
		scene.write({ "a library/new": "in its empty folder" }, other);
		expect(await scene.finish("other")).toMatchObject({ files: [], left: ["a library/"] });
		await scene.discard("other");
		scene.git("-C", folder, ...allowed, "update", "-q", "--init");
		scene.write({ "a library/x": "changed", "cloned/y": "y", "b.txt": "changed\n" }, folder);
		scene.gitIn(join(folder, "cloned"), "init", "-q");
		expect(await scene.finish("child")).toMatchObject({ files: ["b.txt"], left: ["cloned/", "a library/"] });
		expect(await scene.merge("child")).toMatchObject({
			kind: "merged",
			files: ["b.txt"],
			stays: { folder, left: ["cloned/", "a library/"] },
		});
		expect(await Bun.file(join(folder, "a library/x")).text()).toBe("changed");
		expect(await scene.changes()).toEqual(["child merged"]);
	});
});
