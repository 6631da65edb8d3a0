/** Background processes outlive the hermes that started them, and are known again by the next one. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCheckpoint } from "../../lib/processes/checkpoint.ts";
import { hasSsh } from "../environments/ssh/ssh-service.ts";
import { openDocker } from "../support/docker-sandbox.ts";
import { openProcessScene, type PlaceName, printed, until } from "../support/process-scene.ts";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(120_000);

const hasDocker = await requireService("docker", async () => {
	await using _ = await openDocker();
});
const places: readonly { place: PlaceName; isThere: boolean }[] = [
	{ place: "local", isThere: true },
	{ place: "docker", isThere: hasDocker },
	{ place: "ssh", isThere: await hasSsh() },
];

async function docker(...args: string[]): Promise<void> {
	const env = { PATH: process.env.PATH ?? "", DOCKER_HOST: serviceVariable("DOCKER_HOST") };
	expect(await runProgram(["docker", ...args], { cwd: "/", env })).toMatchObject({ exitCode: 0 });
}

/** Starts `command` in a hermes of its own, kills that one, and gives the process's id. */
async function startAndDie(
	place: PlaceName,
	{ home, command, task = "default" }: { readonly home: string; readonly command: string; readonly task?: string },
): Promise<string> {
	const program = join(import.meta.dir, "../support/process-holder.ts");
	const holder = Bun.spawn(["bun", program, place, home, command, task], {
		stdio: ["ignore", "pipe", "inherit"],
		env: process.env,
	});
	const { value } = await holder.stdout.getReader().read();
	holder.kill("SIGKILL");
	await holder.exited;
	return new TextDecoder().decode(value).trim();
}

describe.each(places)("after a kill -9 of hermes on $place", ({ place, isThere }) => {
	test.skipIf(!isThere)(
		"adopt() finds the process again, reads on from where it was read, and tells its end",
		async () => {
			using folder = temporaryFolder();
			const home = folder.path;
			const command = 'echo first; read line; echo "then $line"; exit 5';
			const id = await startAndDie(place, { home, command });
			await using cleaning = new AsyncDisposableStack();
			const scene = await openProcessScene(place, { home, keep: true });
			if (place === "docker") cleaning.defer(() => docker("rm", "-f", scene.shell.ranOn.slice("docker:".length)));
			cleaning.use(scene);
			const [process, ...others] = await scene.table.adopt("default", { tells: true });
			expect({ id: process?.record.id, others }).toEqual({ id, others: [] });
			if (process === undefined) return;
			expect(process.record.linesRead).toBe(1);
			expect(await process.write("more\n")).toBe("taken");
			expect(await process.ended).toMatchObject({ exitCode: 5, reason: "exited" });
			expect(process.output.range(process.record.linesRead).lines).toEqual(["then more"]);
			expect(printed(process)).toEqual(["first", "then more"]);
			expect(scene.table.takeNotices("default")).toMatchObject([
				{ type: "completion", id, output: "first\nthen more" },
			]);
			expect(scene.table.takeNotices("default")).toEqual([]);
			await scene.table.saved();
			expect(openCheckpoint(join(home, "processes.json")).read()).toEqual([]);
		},
	);

	test.skipIf(!isThere)("a process of a sub-agent has ended with it, and so has what it started", async () => {
		using folder = temporaryFolder();
		const home = folder.path;
		const task = "sa-0-11111111";
		const command = "setsid sleep 1000 & echo $!; trap '' TERM; wait; sleep 1000";
		const id = await startAndDie(place, { home, command, task });
		await using cleaning = new AsyncDisposableStack();
		const scene = await openProcessScene(place, { home, keep: true });
		if (place === "docker") cleaning.defer(() => docker("rm", "-f", scene.shell.ranOn.slice("docker:".length)));
		cleaning.use(scene);
		const [record] = openCheckpoint(join(home, "processes.json")).read();
		expect(record).toMatchObject({ id, taskId: task });
		if (record === undefined) return;
		const living = `for p in ${record.pid} $(cat ${record.folder}/o.0); do grep -sq "^State:[[:space:]]*[^ZX[:space:]]" /proc/$p/status && echo $p; done; :`;
		// A zombie has ended, too; in a container nobody may ever reap it.
		let left = "unknown";
		while (left !== "") left = (await scene.shell.execute(living, { signal: new AbortController().signal })).output;
	});
});

describe("adopt()", () => {
	test("never takes a process that another hermes looks after", async () => {
		await using scene = await openProcessScene("local");
		const process = await scene.start("read line");
		await scene.table.saved();
		await using other = await openProcessScene("local", { home: scene.home });
		expect(await other.table.adopt("default", { tells: true })).toEqual([]);
		await process.kill();
	});

	test("tells a process from a later one that got its number", async () => {
		using folder = temporaryFolder();
		const id = await startAndDie("local", { home: folder.path, command: "echo up; read line" });
		const [entry] = openCheckpoint(join(folder.path, "processes.json")).read();
		const identity = join(entry?.folder ?? "", "identity");
		const before = readFileSync(identity, "utf8");
		// The same numbers, begun at another time.
		writeFileSync(identity, before.replace(/ \d+$/gm, " 1"));
		await using scene = await openProcessScene("local", { home: folder.path });
		const [process] = await scene.table.adopt("default", { tells: true });
		expect(await process?.ended).toMatchObject({ reason: "lost", source: "backend_lost", exitCode: -1 });
		expect(process?.record.id).toBe(id);
		const pid = entry?.pid ?? 0;
		expect(existsSync(`/proc/${pid}`)).toBe(true);
		globalThis.process.kill(-pid, "SIGKILL");
		rmSync(entry?.folder ?? "", { recursive: true });
	});

	test("survives a checkpoint that somebody broke", async () => {
		using folder = temporaryFolder();
		writeFileSync(join(folder.path, "processes.json"), '{"version": 1, "processes": [{"id": "x"}, 3]} trailing');
		await using scene = await openProcessScene("local", { home: folder.path });
		expect(await scene.table.adopt("default", { tells: true })).toEqual([]);
		const process = await scene.start("true");
		await process.ended;
		await scene.table.saved();
		expect(openCheckpoint(join(folder.path, "processes.json")).read()).toEqual([]);
	});
});

describe.skipIf(!hasDocker)("a container that is restarted", () => {
	test("makes its processes lost, and they are told once", async () => {
		await using cleaning = new AsyncDisposableStack();
		const scene = await openProcessScene("docker", { keep: true });
		const container = scene.shell.ranOn.slice("docker:".length);
		cleaning.defer(() => docker("rm", "-f", container));
		cleaning.use(scene);
		const process = await scene.start("echo up; sleep 300", { notify: true });
		await until(() => printed(process).includes("up"));
		await docker("restart", "-t", "0", container);
		expect(await process.ended).toMatchObject({ reason: "lost", source: "backend_lost", exitCode: -1 });
		expect(scene.table.takeNotices("default")).toMatchObject([{ type: "completion", end: { reason: "lost" } }]);
	});
});
