/** Sandboxes of their own as places of sub-agents. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FinishedPlace, KeptChange } from "../../../lib/agent/delegate/isolation.ts";
import { configuredBackend } from "../../../lib/cli/runtime/find-backend.ts";
import { openSettings } from "../../../lib/cli/runtime/settings.ts";
import { hasDaytona } from "../../environments/daytona/daytona-service.ts";
import { hasModalServer } from "../../environments/modal/modal-place.ts";
import { hasSingularity } from "../../environments/singularity/singularity-service.ts";
import { cliInProcess } from "../../support/command-line.ts";
import { openDocker } from "../../support/docker-sandbox.ts";
import { requireService } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { makeRepository, openPlacedPool, type PlacedOn, type PlacedPool, projectFolder } from "./placed-pool.ts";

// Each test opens several sandboxes, and other tests may keep the machine busy.
setDefaultTimeout(180_000);

const hasDocker = await requireService("docker", async () => {
	await using _ = await openDocker();
});

const places: readonly { on: PlacedOn; isThere: boolean }[] = [
	{ on: "docker", isThere: hasDocker },
	{ on: "singularity", isThere: await hasSingularity() },
];

const { signal } = new AbortController();

function open({ isolation, folder }: PlacedPool, childTask: string, cwd = folder) {
	return isolation.open({ kind: "sandbox", parentTask: "default", childTask, cwd, signal });
}

function keptOf(finished: FinishedPlace): KeptChange {
	if (finished.kind !== "kept") throw new Error("nothing was kept");
	return finished.change;
}

describe.concurrent.each(places)("sandboxes of sub-agents on $on", ({ on, isThere }) => {
	test.skipIf(!isThere)(
		"have a copy of the project, and what is changed there is merged, or reported as a conflict",
		async () => {
			await using opened = await openPlacedPool(on);
			const { say, isolation, pool, folder } = opened;
			await say(
				"",
				`${makeRepository} && mkdir sub && echo x > sub/x && ln -s b.txt link && echo '#!/bin/sh' > run && chmod +x run`,
			);
			await say("", "echo ignored/ > .gitignore; mkdir ignored; echo secret > ignored/key; echo mine >> b.txt");
			const look = "git status --short; git ls-files -s; ls -A; cat *.txt";
			const before = await say("", look);
			const [one, two] = await Promise.all([open(opened, "sa-0", `${folder}/sub`), open(opened, "sa-1")]);
			const places = new Set(["default", "sa-0", "sa-1"].map((task) => pool.shell(task).ranOn));
			expect(places.size).toBe(3);
			expect(await say("sa-0", "pwd; ls -A .. | sort; cat ../b.txt; test -x ../run && readlink ../link")).toBe(
				`${one.cwd}\n.git\n.gitignore\nb.txt\nlink\nlist.txt\nrun\nsub\nb\nmine\nb.txt\n`,
			);
			expect(one.description).toContain(`a copy of your parent's ${folder}`);
			await say(
				"sa-0",
				"sed -i 's/^1$/first/' ../list.txt; rm ../link; mkdir -p 'new ü'; echo new > 'new ü/file'; echo > /tmp/elsewhere",
			);
			await say(
				"sa-1",
				"sed -i 's/^1$/FIRST/' list.txt; mkdir node_modules ignored; echo big > node_modules/x; echo > ignored/y",
			);
			expect(await say("", look)).toBe(before);
			const [first, second] = (await Promise.all([one.finish(), two.finish()])).map(keptOf);
			if (first === undefined || second === undefined) throw new Error("nothing was kept");
			expect(await isolation.merge(first, signal)).toEqual({
				kind: "merged",
				files: ["link", "list.txt", "sub/new ü/file"],
			});
			expect(await say("", "git status --short; cat list.txt sub/new*/*")).toBe(
				" M b.txt\n M list.txt\n?? .gitignore\n?? run\n?? sub/\nfirst\n2\n3\n4\n5\nnew\n",
			);
			expect(await isolation.merge(second, signal)).toMatchObject({ kind: "conflicts", files: ["list.txt"] });
			await isolation.discard(second, signal);
			expect(await say("", "git branch; ls .git | grep hermes || :")).toBe("* main\n");
			// Both are gone: a task of the same name has the main one's session again.
			expect(pool.shell("sa-1").ranOn).toBe(pool.shell("default").ranOn);
		},
	);
});

describe.concurrent.each(places)("sandboxes of a killed process on $on", ({ on, isThere }) => {
	test.skipIf(!isThere)("hold what was made in them until it is merged or thrown away, and end then", async () => {
		using home = temporaryFolder();
		mkdirSync(projectFolder(home.path));
		const program = Bun.spawn(["bun", join(import.meta.dir, "killed-sandboxes.ts"), on, home.path], { stdout: "pipe" });
		const lines = program.stdout.pipeThrough(new TextDecoderStream()).getReader();
		const { value = "" } = await lines.read();
		const [busy, away]: [KeptChange, KeptChange] = JSON.parse(value);
		program.kill("SIGKILL");
		await program.exited;
		await using opened = await openPlacedPool(on, { home: home.path });
		const { say, isolation, pool } = opened;
		expect(await say("", "git status --short; cat b.txt")).toBe("b\n");
		expect(await isolation.merge(busy, signal)).toEqual({ kind: "merged", files: ["b.txt", "new.txt"] });
		expect(await say("", "cat b.txt new.txt")).toBe("changed\nnew\n");
		await isolation.discard(away, signal);
		expect(await say("", "git branch; ls .git | grep hermes || :")).toBe("* main\n");
		for (const id of [busy, away].map(({ branch = "" }) => branch.replace("hermes-", ""))) {
			await pool.register(id, { isThrowaway: true, left: "found" });
			await expect(pool.shell(id).open(signal)).rejects.toThrow(/is gone/);
			await pool.release(id);
		}
	});
});

const clouds: readonly { on: PlacedOn; isThere: boolean }[] = [
	{ on: "daytona", isThere: await hasDaytona() },
	{ on: "modal", isThere: await hasModalServer() },
];

describe.concurrent.each(clouds)("sandboxes of sub-agents on $on", ({ on, isThere }) => {
	test.skipIf(!isThere)("are sandboxes of the service", async () => {
		await using opened = await openPlacedPool(on);
		const { say, isolation, pool } = opened;
		await say("", `${makeRepository} && head -c 300000 /dev/urandom > binary && echo mine >> b.txt`);
		const place = await open(opened, "sa-0");
		expect(pool.shell("sa-0").ranOn).not.toBe(pool.shell("").ranOn);
		const sum = await say("", "cksum < binary");
		expect(await say("sa-0", "cksum < binary; tail -n 1 b.txt; echo made > new.txt; cp binary copy")).toBe(
			`${sum}mine\n`,
		);
		const change = keptOf(await place.finish());
		expect(await isolation.merge(change, signal)).toEqual({ kind: "merged", files: ["copy", "new.txt"] });
		expect(await say("", "cmp binary copy && cat new.txt && git status --short")).toBe(
			"made\n M b.txt\n?? binary\n?? copy\n?? new.txt\n",
		);
	});
});

describe.concurrent("sandboxes of sub-agents", () => {
	test.skipIf(!hasDocker)(
		"copy a folder without git, in which nothing is lost that the parent did meanwhile",
		async () => {
			await using opened = await openPlacedPool("docker");
			const { say, isolation } = opened;
			await say(
				"",
				"printf '1\\n2\\n3\\n4\\n5\\n' > list.txt; mkdir -p a/b node_modules; echo deep > a/b/c; echo > node_modules/x",
			);
			const place = await open(opened, "sa-0");
			await say("sa-0", "ls; sed -i 's/^5$/five/' list.txt; rm -r a; echo new > new.txt");
			await say("", "sed -i 's/^1$/one/' list.txt");
			const change = keptOf(await place.finish());
			expect(change.summary).toContain("3 files changed");
			expect(await isolation.merge(change, signal)).toEqual({
				kind: "merged",
				files: ["a/b/c", "list.txt", "new.txt"],
			});
			expect(await say("", 'ls -A; cat list.txt; ls "$HOME/.hermes" 2>&1 | grep changes || :')).toBe(
				"list.txt\nnew.txt\nnode_modules\none\n2\n3\n4\nfive\n",
			);
			const idle = await open(opened, "sa-1");
			expect(await idle.finish()).toEqual({ kind: "unchanged" });
		},
	);

	test.skipIf(!hasDocker)("that end before their task change nothing, and say so", async () => {
		await using opened = await openPlacedPool("docker");
		const { say, pool } = opened;
		await say("", makeRepository);
		const place = await open(opened, "sa-0");
		await say("sa-0", "echo changed > b.txt");
		const container = pool.shell("sa-0").ranOn.replace("docker:", "");
		expect(Bun.spawnSync(["docker", "rm", "-f", container]).exitCode).toBe(0);
		await expect(place.finish()).rejects.toThrow(/is gone/);
		expect(await say("", "git status --short; git branch; cat b.txt; ls .git | grep hermes || :")).toBe("* main\nb\n");
	});

	test.each(["local", "ssh"])("are refused on %s, where there are none", async (name) => {
		using home = temporaryFolder();
		const { cli } = cliInProcess(home.path);
		const config = await openSettings(cli, { backend: name });
		await expect(configuredBackend(cli, config, { isThrowaway: true })).rejects.toThrow(
			`Cannot open a sandbox of its own on "${name}": commands there run on one machine; isolation "worktree" keeps files apart there`,
		);
	});
});
