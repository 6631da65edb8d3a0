/** Worktrees as places of sub-agents, where the files are: on this machine, in a container, on another machine, in an instance. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { FinishedPlace, KeptChange } from "../../../lib/agent/delegate/isolation.ts";
import { hasSingularity } from "../../environments/singularity/singularity-service.ts";
import { hasSsh } from "../../environments/ssh/ssh-service.ts";
import { openDocker } from "../../support/docker-sandbox.ts";
import { requireService } from "../../support/required-service.ts";
import { makeRepository, openPlacedPool, type PlacedOn, type PlacedPool } from "./placed-pool.ts";

// Each test opens a sandbox, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

const hasDocker = await requireService("docker", async () => {
	await using _ = await openDocker();
});

const places: readonly { on: PlacedOn; isThere: boolean }[] = [
	{ on: "local", isThere: true },
	{ on: "docker", isThere: hasDocker },
	{ on: "ssh", isThere: await hasSsh() },
	{ on: "singularity", isThere: await hasSingularity() },
];

const { signal } = new AbortController();

function open({ isolation, folder }: PlacedPool, childTask: string) {
	return isolation.open({ kind: "worktree", parentTask: "default", childTask, cwd: folder, signal });
}

function keptOf(finished: FinishedPlace): KeptChange {
	if (finished.kind !== "kept") throw new Error("nothing was kept");
	return finished.change;
}

describe.concurrent.each(places)("worktrees on $on", ({ on, isThere }) => {
	test.skipIf(!isThere)(
		"two children edit one file; both succeed, and the second merge reports the conflict",
		async () => {
			await using opened = await openPlacedPool(on);
			const { say, isolation, folder, pool } = opened;
			await say("", `${makeRepository} && echo uncommitted >> b.txt`);
			const before = await say("", "git status --short; git ls-files -s; cat *.txt");
			const [one, two, idle] = await Promise.all(["sa-0", "sa-1", "sa-2"].map((id) => open(opened, id)));
			if (one === undefined || two === undefined || idle === undefined) throw new Error("none was opened");
			expect(one.description).toContain(`git worktree of ${folder}`);
			expect((await say("sa-0", "pwd; tail -n 1 b.txt")).split("\n")).toEqual([one.cwd, "uncommitted", ""]);
			await say("sa-0", "sed -i 's/^1$/first/' list.txt; echo new > new.txt");
			await say("sa-1", "sed -i 's/^1$/FIRST/; s/^5$/last/' list.txt");
			expect(await say("", "pwd; git status --short; git ls-files -s; cat *.txt")).toBe(`${folder}\n${before}`);
			const [first, second, nothing] = await Promise.all([one.finish(), two.finish(), idle.finish()]);
			expect(nothing).toEqual({ kind: "unchanged" });
			expect(keptOf(first)).toMatchObject({
				kind: "worktree",
				branch: "hermes-sa-0",
				backend: on,
				target: folder,
				folder: one.cwd,
			});
			expect(keptOf(first).summary).toContain("2 files changed");
			expect(await isolation.merge(keptOf(first), signal)).toEqual({ kind: "merged", files: ["list.txt", "new.txt"] });
			const between = await say("", "git status --short; cat *.txt");
			const conflict = await isolation.merge(keptOf(second), signal);
			expect(conflict).toMatchObject({
				kind: "conflicts",
				files: ["list.txt"],
				why: [expect.stringContaining("list.txt: ")],
			});
			expect(await say("", "git status --short; cat *.txt")).toBe(between);
			await isolation.discard(keptOf(second), signal);
			expect(await say("", "cat list.txt; git worktree list | wc -l; git branch; ls -A")).toBe(
				"first\n2\n3\n4\n5\n1\n* main\n.git\nb.txt\nlist.txt\nnew.txt\n",
			);
			// Their sessions are gone: a task of the same name is the main one again.
			expect(await pool.shell("sa-0").execute("pwd", { signal })).toMatchObject({ output: `${folder}\n` });
		},
	);
});

describe.concurrent("worktrees", () => {
	test("are refused with what else can be done where the folder is in no repository", async () => {
		await using opened = await openPlacedPool("local");
		await expect(open(opened, "sa-0")).rejects.toThrow(
			`Cannot open a worktree of "${opened.folder}": the folder is in no git repository; \`git init\` makes one. Without isolation the child works on your files`,
		);
	});

	test("whoever has read a file before a merge must read it again before writing", async () => {
		await using opened = await openPlacedPool("local");
		const { say, isolation, fileState, folder } = opened;
		await say("", makeRepository);
		const key = `local:${folder}/b.txt`;
		fileState.wasRead("parent", key, { stamp: "then", isPartial: false });
		const place = await open(opened, "sa-0");
		await say("sa-0", "echo child > b.txt");
		expect(fileState.staleness("parent", key, { stamp: "then", isWhole: false })).toEqual({});
		const change = keptOf(await place.finish());
		// Whoever is writing it has time to end.
		const written = fileState.inTurn([key], () => say("", "sleep 0.5; cat b.txt"));
		await isolation.merge(change, signal);
		expect(await written).toBe("b\n");
		const { refused } = fileState.staleness("parent", key, { stamp: "now", isWhole: false });
		expect(refused).toMatch(/^agent sa-0 changed it at .*read it again/);
	});

	test("an opening that is stopped in the middle leaves nothing, whenever that is", async () => {
		await using opened = await openPlacedPool("local");
		const { say, isolation, folder } = opened;
		await say("", makeRepository);
		for (const afterMs of [1, 30, 60, 90, 150]) {
			const stop = new AbortController();
			const request = { kind: "worktree", parentTask: "default", childTask: "sa-0", cwd: folder } as const;
			const opening = isolation.open({ ...request, signal: stop.signal });
			setTimeout(() => stop.abort(new Error("stopped")), afterMs);
			const place = await opening.catch(() => undefined);
			if (place !== undefined) expect(await place.finish()).toEqual({ kind: "unchanged" });
			const left = await say(
				"",
				"git status --short; git branch; git worktree list | wc -l; ls -A; ls .git | grep hermes || :",
			);
			expect(left).toBe("* main\n1\n.git\nb.txt\nlist.txt\n");
		}
	});

	test("of a process that is killed leave the parent's files whole, and what was made in them can be merged", async () => {
		await using opened = await openPlacedPool("local");
		const { say, isolation, folder } = opened;
		await say("", `${makeRepository} && echo mine >> list.txt`);
		const look = "git status --short; git ls-files -s; cat *.txt";
		const before = await say("", look);
		const program = Bun.spawn(["bun", join(import.meta.dir, "killed-places.ts"), folder], { stdout: "pipe" });
		const lines = program.stdout.pipeThrough(new TextDecoderStream()).getReader();
		const { value = "" } = await lines.read();
		const [busy, idle]: [KeptChange, KeptChange] = JSON.parse(value);
		program.kill("SIGKILL");
		await program.exited;
		expect(await say("", look)).toBe(before);
		expect(await say("", "git worktree list | wc -l")).toBe("3\n");
		// The next one in this repository finds what was left: what is unchanged goes, the rest is kept.
		const next = await open(opened, "sa-next");
		expect(await next.finish()).toEqual({ kind: "unchanged" });
		expect(await say("", "git worktree list | wc -l; git branch --list 'hermes*'")).toBe("2\n+ hermes-sa-busy\n");
		await expect(isolation.merge(idle, signal)).rejects.toThrow("nothing was changed");
		expect(await isolation.merge(busy, signal)).toEqual({ kind: "merged", files: ["b.txt", "new.txt"] });
		expect(await say("", "cat b.txt new.txt; git worktree list | wc -l")).toBe("half\ndone\nnew\n1\n");
	});

	test("of a process that lives are nobody else's to take", async () => {
		await using opened = await openPlacedPool("local");
		await using other = await openPlacedPool("local");
		await opened.say("", makeRepository);
		const place = await open(opened, "sa-0");
		await open({ ...other, folder: opened.folder }, "sa-1");
		await expect(other.isolation.merge(place.begun, signal)).rejects.toThrow("the sub-agent has not finished it");
		expect(await opened.say("", "git worktree list | wc -l")).toBe("3\n");
	});
});
