/** hermes checkpoints: files that a conversation has changed, brought back by its user. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

/** A home with a project in it. */
function projectHome(configuration = "") {
	const home = temporaryFolder();
	const project = join(home.path, "project");
	mkdirSync(join(project, "src"), { recursive: true });
	mkdirSync(join(home.path, ".hermes"));
	if (configuration !== "") writeFileSync(join(home.path, ".hermes/config.yaml"), configuration);
	writeFileSync(join(project, "package.json"), "{}\n");
	writeFileSync(join(project, "src/a.txt"), "one\n");
	writeFileSync(join(project, "src/b.txt"), "bee\n");
	return {
		project,
		home: home.path,
		read: (name: string) => readFileSync(join(project, name), "utf8"),
		hermes: (args: readonly string[], env: Record<string, string> = {}, cwd = project) =>
			runHermes(args, { home: home.path, cwd, env }),
		/** Lets a cassette of these calls play, one message of the model a list. */
		async play(turns: readonly (readonly { name: string; arguments: object }[])[], env: Record<string, string> = {}) {
			const lines = [...turns.map((calls) => ({ text: "", tool_calls: calls, verbatim: true })), { text: "Done." }];
			const tape = join(home.path, "tape.jsonl");
			writeFileSync(tape, lines.map((line) => JSON.stringify(line)).join("\n"));
			const args = ["chat", "-q", "change it", "--provider", "cassette", "--cassette", tape, "--yolo", "-Q"];
			return runHermes(args, { home: home.path, cwd: project, env });
		},
		[Symbol.dispose]: () => home[Symbol.dispose](),
	};
}

const write = (path: string, content: string) => ({ name: "write_file", arguments: { path, content } });
const terminal = (command: string) => ({ name: "terminal", arguments: { command } });
const patch = (path: string, from: string, to: string) => ({
	name: "patch",
	arguments: { path, old_string: from, new_string: to },
});

/** The two edits are calls of one message and may run side by side. */
const eitherEdit = expect.stringMatching(/^before (?:write_file src\/a|patch src\/b)\.txt$/);

describe.concurrent("hermes checkpoints", () => {
	test("hermes checkpoints shows what a conversation has changed, and brings it back", async () => {
		using at = projectHome();
		const played = await at.play([
			[terminal("ls"), terminal("cat src/a.txt")],
			[write("src/a.txt", "two\n"), patch("src/b.txt", "bee", "wasp")],
			[terminal("rm src/b.txt; echo new > src/new.txt")],
		]);
		expect([played.stdout, played.stderr.replace(/session_id.*/, ""), played.exitCode]).toEqual(["Done.\n", "\n", 0]);
		const listed = await at.hermes(["checkpoints", "list", "--json"], {}, join(at.project, "src"));
		const rows = JSON.parse(listed.stdout);
		// One turn, one folder, one checkpoint; commands that only look make none.
		expect(rows).toEqual([
			{
				hash: expect.stringMatching(/^[0-9a-f]{40}$/),
				short_hash: rows[0].hash.slice(0, 8),
				timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
				reason: eitherEdit,
				files_changed: null,
				insertions: null,
				deletions: null,
			},
		]);
		const { stdout: diff } = await at.hermes(["checkpoints", "diff"]);
		expect(diff).toContain("-one\n+two\n");
		expect((await at.hermes(["checkpoints", "diff", rows[0].short_hash, "src/b.txt", "--stat"])).stdout).toMatch(
			/^ src\/b\.txt \| 1 -\n 1 file changed, 1 deletion\(-\)\n$/,
		);
		const one = await at.hermes(["checkpoints", "restore", "1", "b.txt"], {}, join(at.project, "src"));
		expect([one.stdout.split("\n")[0], one.exitCode, at.read("src/b.txt"), at.read("src/a.txt")]).toEqual([
			"restored  src/b.txt",
			0,
			"bee\n",
			"two\n",
		]);
		const whole = await at.hermes(["checkpoints", "restore", rows[0].hash, "--delete-new", "--json"]);
		expect(whole.stderr).toBe("");
		expect(JSON.parse(whole.stdout)).toEqual({
			success: true,
			restored_to: rows[0].short_hash,
			reason: eitherEdit,
			directory: at.project,
			restored: ["src/a.txt"],
			deleted: ["src/new.txt"],
			newer: [],
			blocked: [],
			before: expect.stringMatching(/^[0-9a-f]{40}$/),
		});
		expect([at.read("src/a.txt"), existsSync(join(at.project, "src/new.txt"))]).toEqual(["one\n", false]);
	});

	test("hermes checkpoints status, prune and clear say what there is, and remove it", async () => {
		using at = projectHome("checkpoints: {max_snapshots: 1}\n");
		const call = (content: string) =>
			at.hermes(["tools", "call", "write_file", JSON.stringify(write("src/a.txt", content).arguments), "--yolo"]);
		await call("two\n");
		await call("three\n");
		const status = JSON.parse((await at.hermes(["checkpoints", "status", "--json"])).stdout);
		expect(status).toEqual({
			enabled: true,
			ran_on: "local",
			git: expect.stringContaining("git version"),
			store: join(at.home, ".hermes/checkpoints"),
			bytes: expect.any(Number),
			folders: [{ directory: at.project, exists: true, checkpoints: 1, newest: expect.stringMatching(/Z$/) }],
		});
		expect((await at.hermes(["checkpoints", "status"])).stdout).toContain(`    1  ${at.project}  newest `);
		expect((await at.hermes(["checkpoints", "list"])).stdout).toMatch(
			/\n {2}1 {2}[0-9a-f]{8} {2}.* before write_file src/,
		);
		const pruned = JSON.parse((await at.hermes(["checkpoints", "prune", "--json"])).stdout);
		expect(pruned).toMatchObject({ scanned: 1, deleted_orphan: 0, deleted_stale: 0, removed: 0, left: 1, errors: [] });
		expect(await at.hermes(["checkpoints", "clear"])).toMatchObject({
			stderr: "hermes: Cannot delete without asking: say --yes\n",
			exitCode: 1,
		});
		expect((await at.hermes(["checkpoints", "clear", "--yes"])).stdout).toBe(
			`Removed 1 checkpoints of ${at.project}\n`,
		);
		expect((await at.hermes(["checkpoints", "list"])).stdout).toBe(`There are no checkpoints of ${at.project}\n`);
		const elsewhere = await at.hermes(["checkpoints", "list"], {}, at.home);
		expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
			1,
			`hermes: Cannot use "${at.home}": a home or a folder of the system is never kept as a whole; say --cwd, or see hermes checkpoints status\n`,
		]);
	});

	test("hermes checkpoints refuses ids and paths that are none", async () => {
		using at = projectHome();
		await at.hermes(["tools", "call", "write_file", JSON.stringify(write("src/a.txt", "2").arguments), "--yolo"]);
		const refusals = [
			[["restore", "--", "--upload-pack=touch x"], "an id has 4 or more of 0-9 and a-f"],
			[["restore", "ffffffff"], "this folder has none with that id"],
			[["restore", "2"], "there are 1"],
			[["restore", "1", "../../etc/passwd"], "it is not inside of"],
			[["diff", "HEAD"], "an id has 4 or more of 0-9 and a-f"],
		] as const;
		for (const [args, said] of refusals) {
			const { exitCode, stderr } = await at.hermes(["checkpoints", ...args]);
			expect([args, exitCode, stderr]).toEqual([args, 1, expect.stringContaining(said)]);
		}
		expect(at.read("src/a.txt")).toBe("2");
	});

	test("hermes chat keeps nothing when checkpoints are off", async () => {
		using at = projectHome("checkpoints: {enabled: false}\n");
		await at.play([[write("src/a.txt", "two\n")]]);
		expect([at.read("src/a.txt"), existsSync(join(at.home, ".hermes/checkpoints"))]).toEqual(["two\n", false]);
		expect((await at.hermes(["checkpoints", "list"])).stdout).toContain("checkpoints.enabled is false\n");
	});

	test("hermes chat makes a change although there can be no checkpoint, and says nothing of a denied one", async () => {
		using at = projectHome();
		writeFileSync(join(at.home, ".hermes/checkpoints"), "in the way");
		const { stdout, exitCode } = await at.play([[write("src/a.txt", "two\n")]]);
		expect([stdout, exitCode, at.read("src/a.txt")]).toEqual(["Done.\n", 0, "two\n"]);
		using other = projectHome();
		const args = ["tools", "call", "terminal", '{"command":"rm -rf src"}'];
		expect((await other.hermes(args)).exitCode).toBe(3);
		expect(existsSync(join(other.home, ".hermes/checkpoints"))).toBe(false);
	});

	test("hermes chat in a hostile environment of git keeps what it changes", async () => {
		using at = projectHome();
		const bin = join(at.home, "bin");
		mkdirSync(bin);
		writeFileSync(join(bin, "gpg"), "#!/bin/sh\nexit 1\n");
		chmodSync(join(bin, "gpg"), 0o755);
		symlinkSync(at.project, join(at.home, "link"));
		const env = {
			GIT_DIR: "/nonexistent",
			GIT_CONFIG_COUNT: "1",
			GIT_CONFIG_KEY_0: "core.bare",
			GIT_CONFIG_VALUE_0: "x",
		};
		await at.play([[write(join(at.home, "link/src/a.txt"), "two\n")]], env);
		const rows = JSON.parse((await at.hermes(["checkpoints", "list", "--json"], env)).stdout);
		expect(rows.length).toBe(1);
	});
});
