/** Checkpoints where the files are: in a container, on another machine, in an instance, and where there is no git. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openShell, type Shell } from "../../../lib/environments/shell/shell.ts";
import { EditGuard } from "../../../lib/files/checkpoints/edit-guard.ts";
import { listCheckpoints, storeStatus } from "../../../lib/files/checkpoints/history.ts";
import { restoreCheckpoint } from "../../../lib/files/checkpoints/restore.ts";
import { takeCheckpoint } from "../../../lib/files/checkpoints/take.ts";
import { hasSingularity, openSingularity } from "../../environments/singularity/singularity-service.ts";
import { hasSsh, openSsh } from "../../environments/ssh/ssh-service.ts";
import { openDocker } from "../../support/docker-sandbox.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { usualLimits } from "./checkpoint-scene.ts";

// Each test opens a sandbox, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

const hasDocker = await requireService("docker", async () => {
	await using _ = await openDocker();
});

interface Opened extends AsyncDisposable {
	readonly sandbox: Sandbox;
}

const places: readonly { name: string; isThere: boolean; open: () => Promise<Opened> }[] = [
	{ name: "docker", isThere: hasDocker, open: async () => owned(await openDocker()) },
	{ name: "ssh", isThere: await hasSsh(), open: () => openSsh() },
	{ name: "singularity", isThere: await hasSingularity(), open: () => openSingularity() },
];

function owned(sandbox: Sandbox): Opened {
	return { sandbox, [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose]() };
}

async function shellIn(sandbox: Sandbox, cwd: string): Promise<Shell> {
	return openShell({ sandbox, files: "bind", cwd, environment: {}, signal: new AbortController().signal });
}

function placeOf(shell: Shell) {
	const { signal } = new AbortController();
	return {
		ranOn: shell.ranOn,
		cwd: shell.cwd,
		execute: (command: string, options?: object) => execute(shell, command, { signal, ...options }),
	};
}

function guardOf(warnings: string[]): EditGuard {
	return new EditGuard({ limits: usualLimits, storeOf: () => ({}), onWarning: (text) => warnings.push(text) });
}

describe.each(places)("checkpoints on $name", ({ isThere, open }) => {
	test.skipIf(!isThere)("are made and restored by the git there, below the home there", async () => {
		await using opened = await open();
		await using shell = await shellIn(opened.sandbox, "/tmp");
		const place = placeOf(shell);
		const root = `/tmp/checkpoints-${crypto.randomUUID()}`;
		await place.execute(`mkdir -p ${root}/sub && cd ${root} && git init -q . && echo 1 > a && echo 1 > "sub/ü b"`);
		const warnings: string[] = [];
		const guard = guardOf(warnings);
		await guard.before(place, { paths: [`${root}/a`], reason: "before it", turn: "one" });
		await place.execute(`cd ${root} && echo 2 > a && rm -r sub && echo new > new`);
		const listed = await listCheckpoints(place, {}, { root });
		const [checkpoint] = listed.ok ? listed.checkpoints : [];
		if (checkpoint === undefined) throw new Error(`there is no checkpoint: ${JSON.stringify({ listed, warnings })}`);
		const restored = await restoreCheckpoint(place, {}, { root, checkpoint, limits: usualLimits, deleteNew: true });
		expect(restored).toMatchObject({ restored: ["a", "sub/ü b"], deleted: ["new"], newer: [], blocked: [] });
		const { output } = await place.execute(`cd ${root} && cat a sub/* && ls && git status --short && echo "$HOME"`);
		const home = output.trim().split("\n").at(-1);
		expect(output).toBe(`1\n1\na\nsub\n?? a\n?? sub/\n${home}\n`);
		const status = await storeStatus(place, {});
		expect(status).toMatchObject({ ok: true, folder: `${home}/.hermes/checkpoints` });
		await place.execute(`rm -rf ${root} "$HOME/.hermes/checkpoints"`);
	});
});

describe.skipIf(!(places[1]?.isThere ?? false))("checkpoints of somebody who may not read everything", () => {
	test("have what can be read, and name the rest", async () => {
		await using opened = await openSsh();
		await using shell = await shellIn(opened.sandbox, "/tmp");
		const place = placeOf(shell);
		const root = `/tmp/checkpoints-${crypto.randomUUID()}`;
		await place.execute(
			`mkdir -p ${root}/closed && cd ${root} && echo 1 > a && echo 1 > locked && chmod 000 locked closed`,
		);
		const taken = await takeCheckpoint(place, {}, { root, reason: "", limits: usualLimits });
		await place.execute(`cd ${root} && chmod 755 closed && cd / && rm -rf ${root} "$HOME/.hermes/checkpoints"`);
		expect(taken).toMatchObject({ ok: true, skipped: ["./locked"] });
	});
});

describe.skipIf(!hasDocker)("checkpoints in a container without git", () => {
	test("are said to be missing once, and edits go on", async () => {
		await using sandbox = await openDocker({
			settings: { docker_image: serviceVariable("HERMES_TEST_DOCKER_IMAGE_SH") },
		});
		await using shell = await shellIn(sandbox, "/tmp");
		const place = placeOf(shell);
		const warnings: string[] = [];
		const guard = guardOf(warnings);
		for (const turn of ["one", "two"]) {
			await guard.before(place, { paths: ["/srv/project/a"], reason: "before it", turn });
		}
		expect(warnings).toEqual([
			`No checkpoints: there is no git on ${shell.ranOn}; changes of files cannot be taken back`,
		]);
	});
});
