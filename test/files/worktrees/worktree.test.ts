/** A worktree for a sub-agent: what it starts from, what is kept of it, and that the parent's files stay what they are. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { finishWorktree, openWorktree } from "../../../lib/files/worktrees/worktree.ts";
import { openWorktreeScene } from "./worktree-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

describe.concurrent("openWorktree()", () => {
	test("has the parent's files as they are, staged or not, known or not, and touches nothing of the parent", async () => {
		await using scene = await openWorktreeScene();
		scene.write({ "a.txt": "staged\n" });
		scene.git("add", "a.txt");
		scene.write({
			"a.txt": "edited after\n",
			"b.txt": null,
			"new ü\nfile.txt": "new\n",
			"run.sh": "#!/bin/sh\n",
			link: "-> a.txt",
			".gitignore": "ignored/\n",
			"ignored/x": "x",
			".env": "KEY=secret",
		});
		const before = scene.state();
		const opened = await scene.open("child");
		expect(scene.state()).toEqual(before);
		expect(opened).toMatchObject({ folder: opened.cwd, top: scene.root, branch: "hermes-child", hasUncommitted: true });
		const files = scene.gitIn(opened.folder, "ls-tree", "-r", "-z", "HEAD");
		const shown = files.split("\0").map((line) => line.replace(/ .*\t/, " "));
		expect(shown.filter(Boolean).sort()).toEqual([
			"100644 .gitignore",
			"100644 a.txt",
			"100644 new ü\nfile.txt",
			"100644 sub/c.txt",
			"100755 run.sh",
			"120000 link",
		]);
		expect(readFileSync(join(opened.folder, "a.txt"), "utf8")).toBe("edited after\n");
		expect(scene.gitIn(opened.folder, "status", "--porcelain")).toBe("");
		expect(scene.gitIn(opened.folder, "rev-parse", "HEAD^")).toBe(scene.git("rev-parse", "HEAD"));
		scene.git("add", "-A");
		expect(scene.git("status", "--porcelain")).not.toContain("worktrees");
	});

	test("starts from the last commit itself when everything is committed, and in the same folder of the project", async () => {
		await using scene = await openWorktreeScene();
		const opened = await scene.open("child", join(scene.root, "sub"));
		expect(opened).toMatchObject({ base: scene.git("rev-parse", "HEAD"), hasUncommitted: false, left: [] });
		expect(opened.cwd).toBe(join(opened.folder, "sub"));
		expect(readFileSync(join(opened.cwd, "c.txt"), "utf8")).toBe("c\n");
	});

	test("works before the first commit, and beside conflicts that the parent is just solving", async () => {
		await using empty = await openWorktreeScene({ isEmpty: true });
		empty.git("init", "-q");
		empty.write({ "a.txt": "a\n" });
		const first = await empty.open("child");
		expect(readFileSync(join(first.folder, "a.txt"), "utf8")).toBe("a\n");
		expect(empty.git("status", "--porcelain")).toBe("?? a.txt");

		await using scene = await openWorktreeScene();
		scene.git("checkout", "-q", "-b", "other");
		scene.write({ "b.txt": "theirs\n" });
		scene.git("commit", "-q", "-am", "theirs");
		scene.git("checkout", "-q", "main");
		scene.write({ "b.txt": "ours\n" });
		scene.git("commit", "-q", "-am", "ours");
		expect(() => scene.git("merge", "-q", "other")).toThrow();
		const before = scene.state();
		const opened = await scene.open("child");
		expect(readFileSync(join(opened.folder, "b.txt"), "utf8")).toContain("<<<<<<<");
		expect(scene.state()).toEqual(before);
	});

	test("leaves what is too large or a repository of its own where it is, and says so", async () => {
		await using scene = await openWorktreeScene();
		scene.write({ "huge.bin": new Uint8Array(50_000_001), "inner/x": "x", "-dash": "d" });
		scene.gitIn(join(scene.root, "inner"), "init", "-q");
		const { left, folder } = await scene.open("child");
		expect([...left].sort()).toEqual(["huge.bin", "inner/"]);
		expect(readFileSync(join(folder, "-dash"), "utf8")).toBe("d");
	});

	test("runs no hook and needs no name of a user", async () => {
		await using scene = await openWorktreeScene();
		for (const hook of ["post-checkout", "post-commit", "pre-commit", "reference-transaction"]) {
			scene.write({ [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch '${scene.outside}/${hook}'\n` });
			scene.gitIn(scene.root, "config", "core.fsmonitor", `touch '${scene.outside}/fsmonitor'; false`);
			Bun.spawnSync(["chmod", "+x", join(scene.root, ".git/hooks", hook)]);
		}
		const { folder } = await scene.open("child");
		scene.write({ "a.txt": "child\n" }, folder);
		await scene.finish("child");
		expect(await scene.merge("child")).toMatchObject({ kind: "merged" });
		const ran = [...new Bun.Glob("*").scanSync({ cwd: scene.outside })];
		expect(ran).toEqual([]);
	});

	test("makes eight at once, each with its own, which come and go beside each other without a trace", async () => {
		await using scene = await openWorktreeScene();
		const ids = Array.from({ length: 8 }, (_, index) => `child-${index}`);
		const folders = await Promise.all(
			ids.map(async (id) => {
				const { folder } = await scene.open(id);
				scene.write({ [`${id}.txt`]: id }, folder);
				await scene.finish(id);
				expect(await scene.merge(id)).toMatchObject({ kind: "merged", files: [`${id}.txt`] });
				return folder;
			}),
		);
		expect(new Set(folders).size).toBe(8);
		expect(Object.keys(scene.files())).toEqual(["a.txt", "b.txt", ...ids.map((id) => `${id}.txt`), "sub/c.txt"]);
		expect(scene.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
		expect(scene.git("worktree", "list").split("\n").length).toBe(1);
		expect(await scene.changes()).toEqual([]);
	});

	test("of a worktree makes one beside it", async () => {
		await using scene = await openWorktreeScene();
		const { folder } = await scene.open("child");
		const grandchild = await scene.open("grandchild", folder);
		expect(grandchild.folder).toBe(join(scene.root, ".hermes-worktrees/grandchild"));
		expect((await scene.changes()).sort()).toEqual(["child open", "grandchild open"]);
	});

	test("is refused in words where it cannot be", async () => {
		await using scene = await openWorktreeScene({ isEmpty: true });
		const ask = (git?: string) =>
			openWorktree(scene.place, { cwd: scene.root, id: "child", owner: "test", ...(git && { git }) });
		const start = `Cannot open a worktree of "${scene.root}": `;
		expect(await ask()).toEqual({
			ok: false,
			code: "no_repository",
			error: `${start}the folder is in no git repository; \`git init\` makes one`,
		});
		expect(await ask("no-such-git")).toEqual({
			ok: false,
			code: "no_git",
			error: `${start}there is no git there; install it`,
		});
		scene.write({ "old.sh": "#!/bin/sh\necho git version 1.8.3.1\n" });
		expect(await ask(join(scene.root, "old.sh"))).toEqual({
			ok: false,
			code: "old_git",
			error: `${start}git version 1.8.3.1 is too old; 2.17 is needed`,
		});
		scene.git("init", "-q", "-b", "main");
		scene.git("commit", "-q", "--allow-empty", "-m", "first");
		scene.git("branch", "hermes-child");
		const taken = `${start}there is a branch hermes-child already`;
		expect(await ask()).toEqual({ ok: false, code: "failed", error: taken });
		expect(scene.git("branch", "--list", "hermes*", "--format=%(refname:short)")).toBe("hermes-child");
		const gone = await openWorktree(scene.place, { cwd: join(scene.root, "nowhere"), id: "child", owner: "test" });
		expect(gone).toMatchObject({ ok: false, code: "failed" });
		const bare = openWorktree(scene.place, { cwd: join(scene.root, ".git"), id: "child", owner: "test" });
		expect(await bare).toMatchObject({ ok: false, code: "failed" });
	});
});

describe.concurrent("finishWorktree()", () => {
	test("removes everything when nothing was changed", async () => {
		await using scene = await openWorktreeScene();
		const before = scene.state();
		const { folder } = await scene.open("child");
		scene.write({ "a.txt": "changed\n" }, folder);
		scene.git("-C", folder, "commit", "-q", "-am", "there");
		scene.git("-C", folder, "revert", "--no-edit", "HEAD");
		expect(await finishWorktree(scene.place, { cwd: scene.root, id: "child" })).toEqual({
			ok: true,
			isUnchanged: true,
		});
		expect(scene.state()).toEqual(before);
		expect(existsSync(join(scene.root, ".hermes-worktrees"))).toBe(false);
		expect(scene.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
		expect(scene.git("worktree", "list").split("\n").length).toBe(1);
		expect(existsSync(join(scene.root, ".git/hermes"))).toBe(false);
	});

	test("keeps commits and what was not committed on a branch, with the files and a diffstat", async () => {
		await using scene = await openWorktreeScene();
		scene.write({ "b.txt": "parent's\n" });
		const before = scene.state();
		const { folder, base } = await scene.open("child");
		scene.write({ "a.txt": "committed\n" }, folder);
		scene.git("-C", folder, "commit", "-q", "-am", "the child's own");
		scene.write({ "new.txt": "new\n", "sub/c.txt": null, "server.key": "made by it\n" }, folder);
		const kept = await scene.finish("child");
		expect(kept).toMatchObject({ branch: "hermes-child", base, folder, left: [] });
		expect(kept.files).toEqual(["a.txt", "new.txt", "server.key", "sub/c.txt"]);
		expect(kept.stat).toContain("4 files changed");
		const log = scene.git("log", "--format=%s", "hermes-child");
		expect(log.split("\n")).toEqual([
			"Work of sub-agent child",
			"the child's own",
			`Files of ${scene.root} that were not committed`,
			"first",
		]);
		expect(scene.gitIn(folder, "status", "--porcelain")).toBe("");
		expect(scene.state()).toEqual(before);
		expect(await scene.changes()).toEqual(["child kept"]);
	});

	test("keeps the work of a child that left its branch, its repository or its folder", async () => {
		await using scene = await openWorktreeScene();
		const before = scene.state();
		const [detached, cut, removed] = await Promise.all(["detached", "cut", "removed"].map((id) => scene.open(id)));
		if (detached === undefined || cut === undefined || removed === undefined) throw new Error("none was opened");
		scene.gitIn(detached.folder, "checkout", "-q", "--detach");
		scene.write({ "b.txt": "detached\n" }, detached.folder);
		scene.gitIn(detached.folder, "commit", "-q", "-am", "detached");
		expect((await scene.finish("detached")).files).toEqual(["b.txt"]);

		rmSync(join(cut.folder, ".git"));
		scene.write({ "b.txt": "cut\n" }, cut.folder);
		expect((await scene.finish("cut")).files).toEqual(["b.txt"]);

		scene.write({ "b.txt": "removed\n" }, removed.folder);
		scene.gitIn(removed.folder, "commit", "-q", "-am", "removed");
		scene.git("worktree", "remove", "--force", removed.folder);
		expect(await scene.finish("removed")).toMatchObject({ files: ["b.txt"], folder: "" });
		expect(scene.state()).toEqual(before);
		for (const id of ["detached", "cut", "removed"]) expect(await scene.discard(id)).toEqual({ ok: true });
		expect(await scene.changes()).toEqual([]);
		expect(scene.git("branch", "--format=%(refname:short)")).toBe("main");
		expect(scene.git("worktree", "list").split("\n").length).toBe(1);
	});
});
