/** Background processes where they run: on this machine, in containers, on another machine, in instances. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { hasSingularity } from "../environments/singularity/singularity-service.ts";
import { hasSsh } from "../environments/ssh/ssh-service.ts";
import { openDocker } from "../support/docker-sandbox.ts";
import { openProcessScene, type PlaceName, type ProcessScene, printed, until } from "../support/process-scene.ts";
import { requireService } from "../support/required-service.ts";

setDefaultTimeout(120_000);

const hasDocker = await requireService("docker", async () => {
	await using _ = await openDocker();
});

const places: readonly { place: PlaceName; isThere: boolean }[] = [
	{ place: "local", isThere: true },
	{ place: "docker", isThere: hasDocker },
	{ place: "docker-nopython", isThere: hasDocker },
	{ place: "ssh", isThere: await hasSsh() },
	{ place: "ssh-bare", isThere: await hasSsh() },
	{ place: "singularity", isThere: await hasSingularity() },
];

for (const { place, isThere } of places) {
	describe.skipIf(!isThere)(`background processes on ${place}`, () => {
		let scene: ProcessScene;
		beforeAll(async () => {
			scene = await openProcessScene(place);
		});
		afterAll(async () => scene[Symbol.asyncDispose]());

		test("start() hands over what is printed while it runs, takes input, and tells the end", async () => {
			const process = await scene.start('echo ready; read line; echo "got $line"; cat; exit 7');
			await until(() => printed(process).includes("ready"));
			expect(process.end).toBeUndefined();
			expect(await process.write("one\n")).toBe("taken");
			await until(() => printed(process).includes("got one"));
			expect(await process.write("two\n")).toBe("taken");
			expect(await process.close()).toBe("taken");
			expect(await process.ended).toEqual({ exitCode: 7, reason: "exited", at: expect.any(Number) });
			expect(printed(process)).toEqual(["ready", "got one", "two"]);
			expect(await process.write("late\n")).toBe("ended");
		});

		test("kill() ends the whole tree, also what ignores SIGTERM and what left its group (R059)", async () => {
			const number = `9${Math.floor(Math.random() * 1e8)}`;
			// Waiting for what ignores the signal takes seconds; where it was seen twice it is believed.
			const calm = ["local", "docker"].includes(place) ? "trap '' TERM;" : "";
			const process = await scene.start(
				`${calm} (setsid sleep ${number} &) ; sleep ${number} & echo up; while :; do sleep 1; done`,
			);
			await until(() => printed(process).includes("up"));
			expect(await process.kill()).toEqual({ is: "gone" });
			expect(process.end).toMatchObject({
				reason: "killed",
				source: "process.kill",
				exitCode: calm === "" ? 143 : 137,
			});
			// The brackets keep the shell that looks from finding itself.
			const pattern = `${number.slice(0, -1)}[${number.at(-1)}]`;
			const look = `grep -la '${pattern}' /proc/[0-9]*/cmdline 2>/dev/null; true`;
			expect(await scene.shell.execute(look, { signal: new AbortController().signal })).toMatchObject({ output: "" });
			expect(await process.kill()).toEqual({ is: "already" });
		});

		test("start() uses the folder, variables and functions of the session", async () => {
			const { signal } = new AbortController();
			await scene.shell.execute("mkdir -p '/tmp/a b (项目)'; export WORD='x y'; hello() { echo \"hello $1\"; }", {
				signal,
			});
			const process = await scene.start('pwd; echo "$WORD"; hello you', { cwd: "/tmp/a b (项目)" });
			await process.ended;
			expect(printed(process)).toEqual(["/tmp/a b (项目)", "x y", "hello you"]);
			await expect(scene.start("true", { cwd: "/no/such/folder" })).rejects.toThrow(
				'there is no folder "/no/such/folder"',
			);
		});

		test("ended settles although a grandchild holds the output (#17327)", async () => {
			const process = await scene.start("sleep 30 & echo done; exit 3");
			expect(await process.ended).toMatchObject({ exitCode: 3, reason: "exited" });
			expect(printed(process)).toEqual(["done"]);
		});
	});
}
