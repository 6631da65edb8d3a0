/** What a checkpoint holds, and what it leaves alone. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProjectFolders } from "../../../lib/files/checkpoints/project-folder.ts";
import { takeCheckpoint } from "../../../lib/files/checkpoints/take.ts";
import { openCheckpointScene, usualLimits } from "./checkpoint-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

describe("takeCheckpoint()", () => {
	test("takeCheckpoint() keeps every byte, links, modes and names of any kind", async () => {
		await using scene = await openCheckpointScene();
		const binary = Uint8Array.from({ length: 256 }, (_, index) => index);
		scene.write({
			".gitattributes": "* text=auto eol=lf\n*.id ident filter=lfs\n",
			crlf: "a\r\nb\n",
			"x.id": "$Id$\n",
			binary,
			"run.sh": "true\n",
			link: "-> crlf",
			"-rf": "dash",
			"we\nird ü *?[a]": "name",
			"sub/.gitignore": "no\n",
			"sub/no": "ignored",
		});
		const { commit } = await scene.take();
		expect(scene.kept(commit).sort()).toEqual(
			[".gitattributes", "-rf", "binary", "crlf", "link", "run.sh", "sub/.gitignore", "we\nird ü *?[a]", "x.id"].sort(),
		);
		expect([scene.content(commit, "binary"), scene.content(commit, "crlf"), scene.content(commit, "x.id")]).toEqual([
			Buffer.from(binary),
			Buffer.from("a\r\nb\n"),
			Buffer.from("$Id$\n"),
		]);
	});

	test("takeCheckpoint() answers the last checkpoint when nothing has changed since", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1" });
		const first = await scene.take();
		const second = await scene.take();
		expect([second.commit, second.isUnchanged, (await scene.list()).length]).toEqual([first.commit ?? "", true, 1]);
	});

	test("takeCheckpoint() keeps an empty folder too, so that what comes later can be taken back", async () => {
		await using scene = await openCheckpointScene();
		const { commit } = await scene.take();
		scene.write({ later: "1" });
		expect(await scene.restore({ deleteNew: true })).toMatchObject({ deleted: ["later"] });
		expect([scene.files(), scene.kept(commit)]).toEqual([{}, []]);
	});

	test("takeCheckpoint() runs nothing of the user's git and changes nothing of the user's repository", async () => {
		const hostile = { GIT_DIR: "/nonexistent", GIT_WORK_TREE: "/", GIT_INDEX_FILE: "/nonexistent/index" };
		const more = { GIT_NAMESPACE: "x", GIT_CEILING_DIRECTORIES: "/", GIT_LITERAL_PATHSPECS: "0", GIT_TRACE: "1" };
		await using scene = await openCheckpointScene({ ...hostile, ...more, XDG_CONFIG_HOME: "/nonexistent" });
		const trap = `touch ${join(scene.outside, "trapped")}`;
		writeFileSync(join(scene.outside, "trap.sh"), `#!/bin/sh\n${trap}\n`);
		chmodSync(join(scene.outside, "trap.sh"), 0o755);
		const configuration = [
			"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = TRAP",
			"[core]\n\thooksPath = OUTSIDE\n\tfsmonitor = TRAP\n\texcludesFile = OUTSIDE/ignore",
			'[filter "f"]\n\tclean = TRAP\n\tsmudge = TRAP\n\trequired = true',
			"[init]\n\ttemplateDir = OUTSIDE",
		].join("\n");
		const text = configuration.replaceAll("TRAP", join(scene.outside, "trap.sh")).replaceAll("OUTSIDE", scene.outside);
		writeFileSync(join(scene.outside, ".gitconfig"), text);
		writeFileSync(join(scene.outside, "ignore"), "*\n");
		scene.git("init", "-q");
		scene.write({ a: "1", ".gitattributes": "* filter=f\n", ".git/hooks/post-index-change": "#!/bin/sh\nexit 1\n" });
		scene.git("add", ".");
		scene.git("commit", "-qm", "theirs");
		scene.write({ a: "2" });
		const before = [scene.git("status", "--porcelain"), scene.git("rev-parse", "HEAD"), scene.git("for-each-ref")];
		const index = readFileSync(join(scene.root, ".git/index"));
		const { commit } = await scene.take();
		expect(Buffer.from(scene.content(commit, "a")).toString()).toBe("2");
		expect(readFileSync(join(scene.root, ".git/index")).equals(index)).toBe(true);
		expect([scene.git("status", "--porcelain"), scene.git("rev-parse", "HEAD"), scene.git("for-each-ref")]).toEqual(
			before,
		);
		expect(existsSync(join(scene.outside, "trapped"))).toBe(false);
	});

	test("takeCheckpoint() keeps no secrets, whatever .gitignore says, but their samples", async () => {
		await using scene = await openCheckpointScene();
		scene.write({
			".gitignore": "!.env\n!*.pem\n!.env.*\n",
			".env": "KEY=1",
			".env.local": "KEY=1",
			".env.production.local": "KEY=1",
			".env.example": "KEY=",
			"keys/server.pem": "private",
			"sub/.env": "KEY=1",
			id_rsa: "private",
		});
		const { commit } = await scene.take({ files: [join(scene.root, ".env"), join(scene.root, "id_rsa")] });
		expect(scene.kept(commit)).toEqual([".env.example", ".gitignore"]);
	});

	test("takeCheckpoint() leaves out what is ignored or generated, unless it is what is edited", async () => {
		await using scene = await openCheckpointScene();
		scene.write({
			".gitignore": "*.gen\n",
			a: "1",
			"x.gen": "1",
			"y.gen": "1",
			"node_modules/m/i.js": "1",
			"t.log": "1",
		});
		const { commit } = await scene.take({ files: [join(scene.root, "x.gen"), join(scene.root, "missing")] });
		expect(scene.kept(commit)).toEqual([".gitignore", "a", "x.gen"]);
		scene.write({ "x.gen": "2", a: "2" });
		expect(await scene.restore()).toMatchObject({ restored: ["a", "x.gen"] });
	});

	test("takeCheckpoint() keeps the files of repositories inside, not the repositories", async () => {
		await using scene = await openCheckpointScene();
		scene.git("init", "-q");
		scene.write({ a: "1", "lib/b": "1", "lib/.gitignore": "no\n", "lib/no": "1", "lib/deep/c": "1", "bare/d": "1" });
		for (const inside of ["lib", "lib/deep", "bare"]) scene.git("init", "-q", inside);
		scene.git("-C", "lib", "add", "b");
		scene.git("-C", "lib", "commit", "-qm", "theirs");
		const head = scene.git("-C", "lib", "rev-parse", "HEAD");
		const { commit } = await scene.take();
		expect(scene.kept(commit)).toEqual(["a", "bare/d", "lib/.gitignore", "lib/b", "lib/deep/c"]);
		scene.write({ "lib/b": "2", "lib/deep/c": null, "bare/d": "2", "lib/new": "1" });
		await scene.take();
		expect(await scene.restore({ commit, deleteNew: true })).toMatchObject({
			restored: ["bare/d", "lib/b", "lib/deep/c"],
			deleted: ["lib/new"],
		});
		expect([scene.git("-C", "lib", "rev-parse", "HEAD"), scene.git("-C", "lib", "status", "--porcelain", "b")]).toEqual(
			[head, ""],
		);
	});

	test("takeCheckpoint() counts files after what is left out, and says so when there are too many", async () => {
		await using scene = await openCheckpointScene();
		const modules = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`node_modules/m/${index}.js`, "1"]));
		scene.write({ a: "1", b: "1", ...modules });
		const taken = await scene.take({ mostFiles: 2 });
		expect(scene.kept(taken.commit)).toEqual(["a", "b"]);
		scene.write({ c: "1" });
		const { place, store, root } = scene;
		expect(await takeCheckpoint(place, store, { root, reason: "", limits: usualLimits, mostFiles: 2 })).toEqual({
			ok: false,
			code: "too_many",
			error: `Cannot keep "${root}": it has 3 files, 2 are the limit`,
		});
	});

	test("takeCheckpoint() keeps the old content of a file that has grown too large, and names what it leaves out", async () => {
		await using scene = await openCheckpointScene();
		const limits = { ...usualLimits, maxFileMegabytes: 1 };
		const large = new Uint8Array(1_100_000);
		scene.write({ grows: "small", "-large": large });
		const first = await scene.take({ limits });
		scene.write({ grows: large, other: "1" });
		const second = await scene.take({ limits });
		expect([first.skipped, second.skipped, scene.kept(second.commit)]).toEqual([
			["./-large"],
			["./-large", "./grows"],
			["grows", "other"],
		]);
		const restored = await scene.restore({ limits });
		expect(restored).toMatchObject({ restored: ["grows"], blocked: [] });
		expect(readFileSync(join(scene.root, "grows"), "utf8")).toBe("small");
		// What was written over is not lost either.
		expect(scene.content(restored.before, "grows").length).toBe(large.length);
	});

	test("takeCheckpoint() follows a file that becomes a folder, and a folder that becomes a file", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ one: "file", "two/a": "1", "two/b": "1" });
		await scene.take();
		scene.write({ one: null, two: null });
		scene.write({ "one/x": "1", two: "file" });
		const { commit } = await scene.take();
		expect(scene.kept(commit)).toEqual(["one/x", "two"]);
	});

	test("takeCheckpoint() works on after its index, or the whole store, was damaged", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1" });
		await scene.take();
		const [index] = [...new Bun.Glob("indexes/*").scanSync(join(scene.store.folder, "store"))];
		writeFileSync(join(scene.store.folder, "store", index ?? ""), "damaged");
		scene.write({ a: "2" });
		const { commit } = await scene.take();
		expect(Buffer.from(scene.content(commit, "a")).toString()).toBe("2");
		writeFileSync(join(scene.outside, "x"), "");
		await scene.place.execute(`rm "${scene.store.folder}/store/HEAD"`);
		expect((await scene.take()).commit).toBeString();
	});

	test("takeCheckpoint() says that there is no git", async () => {
		await using scene = await openCheckpointScene();
		const { place, store, root } = scene;
		const options = { root, reason: "", limits: usualLimits };
		expect(await takeCheckpoint(place, { ...store, git: "/nonexistent/git" }, options)).toEqual({
			ok: false,
			code: "no_git",
			error: `Cannot keep "${root}": there is no git`,
		});
	});

	test("takeCheckpoint() keeps a reason on one line and leaves nothing readable to others", async () => {
		await using scene = await openCheckpointScene();
		scene.write({ a: "1" });
		await scene.take({ reason: `before\n\u001b[2J|x|${"y".repeat(400)}` });
		const [checkpoint] = await scene.list();
		expect(checkpoint?.reason).toMatch(/^before \[2J\|x\|y{100,}…$/);
		const modes = await scene.place.execute(`find "${scene.store.folder}" -perm /077 | head`);
		expect(modes.output).toBe("");
	});

	test("takeCheckpoint() keeps neither its own store nor HERMES_HOME when they are inside of the folder", async () => {
		const own = "the project/.her[m]es";
		await using inside = await openCheckpointScene();
		const root = join(inside.outside, "the project");
		await inside.place.execute(
			`mkdir -p "${root}/.her[m]es" && cd "${root}" && echo key > '.her[m]es/auth.json' && echo 1 > a`,
		);
		const store = { folder: join(inside.outside, own, "checkpoints") };
		const taken = await takeCheckpoint(inside.place, store, { root, reason: "", limits: usualLimits });
		const again = await takeCheckpoint(inside.place, store, { root, reason: "", limits: usualLimits });
		const kept =
			taken.ok && Bun.spawnSync(["git", `--git-dir=${store.folder}/store`, "ls-tree", "-r", "--name-only", taken.tree]);
		expect([kept ? kept.stdout.toString() : "", again.ok && again.isUnchanged]).toEqual(["a\n", true]);
	});
});

describe("findProjectFolders()", () => {
	test("findProjectFolders() takes the nearest project, else the session's folder, else the file's own", async () => {
		await using scene = await openCheckpointScene();
		scene.write({
			"package.json": "{}",
			"packages/one/package.json": "{}",
			"packages/one/src/a": "1",
			"plain/deep/b": "1",
		});
		const { place, store, root, outside } = scene;
		await place.execute(`mkdir -p "${outside}/free/sub" "${outside}/other/sub"; ln -s project "${outside}/link"`);
		const paths = [
			`${root}/packages/one/src/a`,
			`${root}/plain/deep/b`,
			`${root}/not/there/yet`,
			`${outside}/link/x`,
			`${outside}/free/sub/x`,
			`${outside}/other/sub/x`,
			"/etc/hosts",
			"~/x",
			"/tmp/x",
			"/",
		];
		const found = await findProjectFolders(place, store, { cwd: `${outside}/free`, paths });
		expect(found.ok && found.folders.map(({ root: folder, isOff }) => [folder, isOff])).toEqual([
			[`${root}/packages/one`, false],
			[root, false],
			[root, false],
			[root, false],
			[`${outside}/free`, false],
			[`${outside}/other/sub`, false],
			["/etc", true],
			[outside, true],
			["/tmp", true],
			["/", true],
		]);
	});
});
