/** File tools of a sub-agent in a worktree, and files outside of that. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sharedToolSession } from "../../support/shared-tool-session.ts";

const shared = sharedToolSession();

describe("a session in a worktree", () => {
	test("changes its own files and those outside of the project, but not the files of its parent or of other worktrees", async () => {
		const { session, at } = shared;
		for (const folder of ["p", "p/.hermes-worktrees/sa-0/sub", "p/.hermes-worktrees/sa-1", "elsewhere"]) {
			mkdirSync(at(folder), { recursive: true });
			writeFileSync(at(join(folder, "f")), "old\n");
		}
		await session.call("terminal", { command: `cd '${at("p/.hermes-worktrees/sa-0/sub")}'` });
		const reasonFor = (name: string) =>
			`you work in a git worktree, and it is not in that; the file that you may change is ${at(`p/.hermes-worktrees/sa-0/${name}`)}`;
		for (const path of ["p/f", "p/.hermes-worktrees/sa-1/f", "p/new/g"]) {
			const name = path.replace("p/.hermes-worktrees/sa-1/", "").replace("p/", "");
			const written = await session.call("write_file", { path: at(path), content: "new\n" });
			expect(String(written.error)).toContain(reasonFor(name));
			const patch = `*** Begin Patch\n*** Update File: ${at(path)}\n-old\n+new\n*** End Patch`;
			expect((await session.call("patch", { mode: "patch", patch })).error).toBeDefined();
		}
		expect(readFileSync(at("p/f"), "utf8")).toBe("old\n");
		for (const path of [at("elsewhere/f"), at("p/.hermes-worktrees/sa-0/f"), "f", "made/g"]) {
			expect((await session.call("write_file", { path, content: "new\n" })).error).toBeUndefined();
		}
		await session.call("terminal", { command: `cd '${at("p")}'` });
		expect((await session.call("write_file", { path: "f", content: "new\n" })).error).toBeUndefined();
	});
});
