/** What write_file and patch do about files that are most likely the wrong ones. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openToolSession, type ToolSession } from "../support/tool-session.ts";

let folder: ReturnType<typeof temporaryFolder>;
let session: ToolSession;
beforeAll(async () => {
	folder = temporaryFolder();
	for (const name of ["project", "other", ".hermes/skills/s", ".hermes/profiles/play/skills/s"]) {
		mkdirSync(join(folder.path, name), { recursive: true });
		writeFileSync(join(folder.path, name, "file"), "old\n");
	}
	symlinkSync("../other", join(folder.path, "project/link"));
	session = await openToolSession(folder.path);
	await session.call("terminal", { command: "cd project" });
});
afterAll(async () => {
	await session[Symbol.asyncDispose]();
	folder[Symbol.dispose]();
});

const theirs = () => join(folder.path, ".hermes/profiles/play/skills/s/file");
const calls = (path: string) =>
	[
		["write_file", { path, content: "new\n" }],
		["patch", { path, old_string: "old", new_string: "new" }],
		["patch", { mode: "patch", patch: `*** Begin Patch\n*** Update File: ${path}\n-old\n+new\n*** End Patch` }],
	] as const;

describe("files of another profile", () => {
	test.each([0, 1, 2])("are changed only when that is meant (%d)", async (which) => {
		const [tool, args] = calls(theirs())[which] ?? ["", {}];
		writeFileSync(theirs(), "old\n");
		const refused = await session.call(tool, args);
		expect([String(refused.error).includes("cross_profile"), readFileSync(theirs(), "utf8")]).toEqual([true, "old\n"]);
		const changed = await session.call(tool, { ...args, cross_profile: true });
		expect([changed.error, readFileSync(theirs(), "utf8")]).toEqual([undefined, "new\n"]);
	});

	test("can be read, and one's own can be changed", async () => {
		const own = join(folder.path, ".hermes/skills/s/file");
		expect((await session.call("read_file", { path: theirs() })).error).toBeUndefined();
		expect((await session.call("write_file", { path: own, content: "mine" })).error).toBeUndefined();
	});

	test("cross_profile opens nothing that is closed for good", async () => {
		const answer = await session.call("write_file", { path: "~/.ssh/config", content: "x", cross_profile: true });
		expect(String(answer.error)).toContain("credentials");
	});
});

describe("a relative path that leads out of the folder", () => {
	test.each([0, 1, 2])("is followed, with a warning (%d)", async (which) => {
		const [tool, args] = calls("link/file")[which] ?? ["", {}];
		const file = join(folder.path, "other/file");
		writeFileSync(file, "old\n");
		const project = join(folder.path, "project");
		const { error, _warning: warning } = await session.call(tool, args);
		expect([error, warning, readFileSync(file, "utf8")]).toEqual([
			undefined,
			`"link/file" leads out of the folder ${project}: the file is ${file}`,
			"new\n",
		]);
	});

	test("is followed where it names the folder above, too", async () => {
		const { _warning: warning } = await session.call("write_file", { path: "../other/new", content: "x\n" });
		expect(warning).toBe(
			`"../other/new" leads out of the folder ${join(folder.path, "project")}: the file is ${join(folder.path, "other/new")}`,
		);
	});

	test("is no surprise when it is absolute, or stays inside", async () => {
		const paths = [join(folder.path, "other/a"), "b", "../project/c", "~/other/d"];
		const answers = await Promise.all(paths.map((path) => session.call("write_file", { path, content: "x\n" })));
		expect(answers.map(({ _warning: warning }) => warning)).toEqual(paths.map(() => undefined));
	});
});
